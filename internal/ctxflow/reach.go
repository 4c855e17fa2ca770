package ctxflow

import (
	"slices"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// edgeTo is how a function was first reached from a request root.
type edgeTo struct {
	root *function
	via  *edge // nil for the root itself
}

// reach finds what runs on behalf of a request: breadth first from the roots
// of grade R, over the edges that are the caller's own business.
func (e *engine) reach() {
	e.reached = map[*function]*edgeTo{}
	var work []*function
	for _, f := range e.funcs {
		if f.root != nil && f.root.Grade == finding.GradeRequest && !e.inTest(f.pos()) {
			e.reached[f] = &edgeTo{root: f}
			work = append(work, f)
		}
	}
	for len(work) > 0 {
		f := work[0]
		work = work[1:]
		for _, g := range f.out {
			if g.to != nil && e.onBehalf(g.mode) && e.reached[g.to] == nil {
				e.reached[g.to] = &edgeTo{root: e.reached[f].root, via: g}
				work = append(work, g.to)
			}
		}
	}
}

// entries names the request roots of this package that reach f.
func (e *engine) entries(f *function) []string {
	if e.reached[f] == nil {
		return nil
	}
	var names []string
	seen := map[*function]bool{f: true}
	work := []*function{f}
	for len(work) > 0 {
		g := work[0]
		work = work[1:]
		if to := e.reached[g]; to != nil && to.via == nil {
			names = append(names, g.name())
		}
		for _, in := range g.in {
			if e.onBehalf(in.mode) && !seen[in.from] && e.reached[in.from] != nil {
				seen[in.from] = true
				work = append(work, in.from)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
