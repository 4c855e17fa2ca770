package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// samples holds the costs by stage and tool, tools in the order of their first run.
type samples struct {
	order []string
	costs map[key][]cost
}

type key struct{ stage, tool string }

func (s *samples) add(stage, tool string, c cost) {
	if s.costs == nil {
		s.costs = make(map[key][]cost)
	}
	if !slices.Contains(s.order, tool) {
		s.order = append(s.order, tool)
	}
	k := key{stage, tool}
	s.costs[k] = append(s.costs[k], c)
}

// typical returns the medians of a stage and tool, each quantity by itself.
func (s *samples) typical(stage, tool string) (cost, bool) {
	costs := s.costs[key{stage, tool}]
	if len(costs) == 0 {
		return cost{}, false
	}
	return cost{
		user: median(costs, func(c cost) time.Duration { return c.user }),
		wall: median(costs, func(c cost) time.Duration { return c.wall }),
		peak: median(costs, func(c cost) int64 { return c.peak }),
	}, true
}

// median of an even number of costs is the lower of the middle two.
func median[T cmp.Ordered](costs []cost, of func(cost) T) T {
	values := make([]T, len(costs))
	for i, c := range costs {
		values[i] = of(c)
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

// A target is an upper bound for ctxprop's cost divided by another tool's.
type target struct {
	stage, tool, quantity string
	ratio                 func(ours, theirs cost) float64
	bound                 float64
}

var targets = []target{
	{asCommand, gilthoniel, "user CPU", userRatio, 0.6},
	{asCommand, contextcheck, "user CPU", userRatio, 0.4},
	{asCommand, gilthoniel, "peak memory", peakRatio, 0.25},
	{asCommand, contextcheck, "peak memory", peakRatio, 0.25},
	{cold, noop, "user CPU", userRatio, 1.3},
	{warm, goVet, "user CPU", userRatio, 1.2},
	{touched, goVet, "user CPU", userRatio, 1.2},
}

func userRatio(ours, theirs cost) float64 { return float64(ours.user) / float64(theirs.user) }
func wallRatio(ours, theirs cost) float64 { return float64(ours.wall) / float64(theirs.wall) }
func peakRatio(ours, theirs cost) float64 { return float64(ours.peak) / float64(theirs.peak) }

// report writes the medians, ctxprop's ratios to each tool, and the targets, in
// Markdown that reads well as text too.
func report(w io.Writer, s samples) error {
	for _, stage := range stages {
		if err := reportStage(w, s, stage); err != nil {
			return err
		}
	}
	for _, t := range targets {
		ours, ok := s.typical(t.stage, self)
		theirs, ok2 := s.typical(t.stage, t.tool)
		if !ok || !ok2 {
			continue
		}
		got, verdict := t.ratio(ours, theirs), "met"
		if got > t.bound {
			verdict = "MISSED"
		}
		fmt.Fprintf(w, "- %s: %s %.2f × %s, target %.2f: %s\n", t.stage, t.quantity, got, t.tool, t.bound, verdict)
	}
	return nil
}

func reportStage(w io.Writer, s samples, stage string) error {
	ours, measured := s.typical(stage, self)
	table := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	rows := 0
	fmt.Fprintf(table, "| %s\t| user s\t| wall s\t| peak MB\t| ctxprop's user ×\t| wall ×\t| peak ×\t|\n", stage)
	fmt.Fprint(table, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|\n")
	for _, name := range s.order {
		c, ok := s.typical(stage, name)
		if !ok {
			continue
		}
		rows++
		fmt.Fprintf(table, "| %s\t| %.2f\t| %.2f\t| %d\t", name, c.user.Seconds(), c.wall.Seconds(), c.peak>>20)
		if measured && name != self {
			fmt.Fprintf(table, "| %.2f\t| %.2f\t| %.2f\t|\n", userRatio(ours, c), wallRatio(ours, c), peakRatio(ours, c))
		} else {
			fmt.Fprint(table, "|\t|\t|\t|\n")
		}
	}
	if rows == 0 {
		return nil
	}
	fmt.Fprintln(table)
	return table.Flush()
}
