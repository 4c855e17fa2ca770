package ctxflow

import (
	"slices"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// reach finds what runs on behalf of a request: breadth first from the roots
// of grade R, over the edges that are the caller's own business.
func (e *engine) reach() {
	e.reached = map[*function]bool{}
	var work []*function
	for _, f := range e.funcs {
		if e.startsRequest(f) {
			e.reached[f] = true
			work = append(work, f)
		}
	}
	for len(work) > 0 {
		f := work[0]
		work = work[1:]
		for _, g := range f.out {
			if g.to != nil && e.onBehalf(g.mode) && !e.reached[g.to] {
				e.reached[g.to] = true
				work = append(work, g.to)
			}
		}
	}
}

// startsRequest reports whether f is a request root that counts.
func (e *engine) startsRequest(f *function) bool {
	return f.root != nil && f.root.Grade == finding.GradeRequest && !e.inTest(f.pos())
}

// entries names the request roots of this package that reach f.
func (e *engine) entries(f *function) []string {
	if !e.reached[f] {
		return nil
	}
	var names []string
	seen := map[*function]bool{f: true}
	work := []*function{f}
	for len(work) > 0 {
		g := work[0]
		work = work[1:]
		if e.startsRequest(g) {
			names = append(names, g.name())
		}
		for _, in := range g.in {
			if e.onBehalf(in.mode) && !seen[in.from] && e.reached[in.from] {
				seen[in.from] = true
				work = append(work, in.from)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
