package prove

import (
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

// typical is the series of the trial whose goodput after the trigger is the
// median: one course that happened, where a mean of several would show none.
func typical(m *Measured) *Series {
	if m == nil || len(m.Series) == 0 {
		return nil
	}
	trials := slices.Clone(m.Trials)
	slices.SortStableFunc(trials, func(a, b Trial) int {
		switch {
		case a.Post < b.Post:
			return -1
		case a.Post > b.Post:
			return 1
		}
		return 0
	})
	for _, t := range trials[(len(trials)-1)/2:] {
		for i := range m.Series {
			if m.Series[i].Seed == t.Seed {
				return &m.Series[i]
			}
		}
	}
	return &m.Series[0]
}

// peak is the greatest of the values, 1 at least.
func peak(xs ...[]int) int {
	most := 1
	for _, x := range xs {
		most = max(most, slices.Max(append([]int{0}, x...)))
	}
	return most
}
