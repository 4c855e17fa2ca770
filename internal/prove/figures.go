package prove

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// figure is one line of the comparison.
type figure struct {
	name string
	of   func(*Trial) float64
	text func(float64) string
	unit string // behind the figure, once
}

// figures in the order in which they are shown. Which one decides is the
// test's to say; the others describe.
var figures = []figure{
	{"goodput before the trigger", func(t *Trial) float64 { return t.Base }, percent, " %"},
	{"goodput during the trigger", func(t *Trial) float64 { return t.During }, percent, " %"},
	{"goodput after the trigger", func(t *Trial) float64 { return t.Post }, percent, " %"},
	{"time to recover", func(t *Trial) float64 { return never(t.Recovery) }, seconds, ""},
	{"all workers busy after the trigger", func(t *Trial) float64 { return t.Ceiling }, percent, " %"},
	{"work for callers who had gone", func(t *Trial) float64 { return t.Zombie }, count, " worker-s"},
	{"dependency's work for no good answer", func(t *Trial) float64 { return t.Waste }, percent, " %"},
	{"dependency calls that outlast the caller's deadline", func(t *Trial) float64 { return t.Detached }, percent, " %"},
	{"dependency calls per call", func(t *Trial) float64 { return t.Amplification }, ratio, ""},
	{"calls shed", func(t *Trial) float64 { return float64(t.Shed) }, count, ""},
	{"answers from the fallback", func(t *Trial) float64 { return float64(t.Fallbacks) }, count, ""},
}

func figureNamed(name string) figure {
	return figures[slices.IndexFunc(figures, func(f figure) bool { return f.name == name })]
}

// never turns the -1 of a trial that did not recover into what it means.
func never(s float64) float64 {
	if s < 0 {
		return math.Inf(1)
	}
	return s
}

func percent(x float64) string { return fmt.Sprintf("%.0f", x*100) }

func seconds(x float64) string {
	if math.IsInf(x, 1) {
		return "never"
	}
	return fmt.Sprintf("%.1f s", x)
}

func ratio(x float64) string { return fmt.Sprintf("%.2f", x) }
func count(x float64) string { return fmt.Sprintf("%.0f", x) }

// spread is the median over the trials, with the extremes where they differ.
func (f figure) spread(m *Measured) string {
	x := f.values(m)
	if len(x) == 0 {
		return "-"
	}
	low, mid, high := f.text(x[0]), f.text(median(x)), f.text(x[len(x)-1])
	if low == high {
		return mid + f.unit
	}
	return fmt.Sprintf("%s%s (%s to %s)", mid, f.unit, low, high)
}

// values are sorted.
func (f figure) values(m *Measured) []float64 {
	if m == nil {
		return nil
	}
	var x []float64
	for i := range m.Trials {
		x = append(x, f.of(&m.Trials[i]))
	}
	slices.Sort(x)
	return x
}

// shown reports whether the figure says anything about the scenario.
func (f figure) shown(o *Outcome) bool {
	return slices.ContainsFunc(append(f.values(o.Before), f.values(o.After)...), func(x float64) bool { return x != 0 })
}

// median of sorted values.
func median(x []float64) float64 {
	low, high := x[(len(x)-1)/2], x[len(x)/2]
	if low == high { // also where both are infinite
		return low
	}
	return (low + high) / 2
}

// typical is the course of one seed without and with the fixes: that of the
// median goodput after the trigger with them. One seed has the same load on both
// sides; a mean of several would show a course that never happened. Both are nil
// unless there are both.
func (o *Outcome) typical() (before, after *Series) {
	if o.After == nil {
		return nil, nil
	}
	trials := slices.Clone(o.After.Trials)
	slices.SortStableFunc(trials, func(a, b Trial) int { return cmp.Compare(a.Post, b.Post) })
	if len(trials) > 0 {
		trials = trials[(len(trials)-1)/2:]
	}
	for _, t := range trials {
		if b, a := o.Before.series(t.Seed), o.After.series(t.Seed); b != nil && a != nil {
			return b, a
		}
	}
	return nil, nil
}

func (m *Measured) series(seed uint64) *Series {
	for i := range m.Series {
		if m.Series[i].Seed == seed {
			return &m.Series[i]
		}
	}
	return nil
}

// peak is the greatest of the values, 1 at least.
func peak(xs ...[]int) int {
	most := 1
	for _, x := range xs {
		most = max(most, slices.Max(append([]int{0}, x...)))
	}
	return most
}
