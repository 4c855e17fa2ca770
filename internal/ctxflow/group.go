package ctxflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file knows the contexts of errgroups: inside of a group its own is the
// right one, after Wait it is done.

// groupOf is the call of errgroup.WithContext that made the context, or nil.
func groupOf(ctx ssa.Value, depth int) *ssa.Call {
	if depth > 6 {
		return nil
	}
	switch v := placeOf(ctx).root.(type) { // a captured context is read from a variable
	case *ssa.Extract:
		if c, ok := v.Tuple.(*ssa.Call); ok {
			if fn := c.Call.StaticCallee(); fn != nil && fn.Name() == "WithContext" && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "golang.org/x/sync/errgroup" {
				return c
			}
			return groupOf(c, depth+1)
		}
	case *ssa.Call:
		for _, a := range v.Call.Args {
			if provenance.IsContext(a.Type()) {
				return groupOf(a, depth+1)
			}
		}
	}
	return nil
}

// besideGroup reports whether a member of an errgroup waits on a context that
// the function has besides the group's, which a member's failure does not end.
// A group whose context is blank is not meant to end its members.
func (e *engine) besideGroup(s lossSite) bool {
	if s.o.Kind != provenance.Param || e.modeOf(s.f, s.cs) != runsHere {
		return false
	}
	f := s.f
	for ; f.parent != nil; f = f.parent {
		if len(f.in) != 1 || f.in[0].mode == runsDeferred || !f.inside(f.in[0].from) {
			return false
		}
		if f.in[0].handed && isMethod(f.in[0].site.instr.Common(), "golang.org/x/sync/errgroup", "Group", "Go") {
			break
		}
	}
	if f.parent == nil || !e.around(f.parent, s.o.Fn) {
		return false
	}
	ex, ok := placeOf(f.in[0].site.instr.Common().Args[0]).root.(*ssa.Extract)
	if !ok {
		return false
	}
	group, ok := ex.Tuple.(*ssa.Call)
	if !ok || !keepsContext(group) {
		return false
	}
	for _, t := range s.cs.targets {
		for _, b := range e.blockingArgs(t, s.cs.instr) {
			if !mayBeGroups(b.arg, 0) {
				return true
			}
		}
	}
	return false
}

// mayBeGroups reports whether the context is an errgroup's or derived from one,
// or is held by a variable that such a one is put into.
func mayBeGroups(ctx ssa.Value, depth int) bool {
	if depth > 6 {
		return true
	}
	switch v := placeOf(ctx).root.(type) {
	case *ssa.Alloc:
		vals, ok := callee.StoredIn(v)
		return !ok || slices.ContainsFunc(vals, func(val ssa.Value) bool { return mayBeGroups(val, depth+1) })
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(val ssa.Value) bool { return mayBeGroups(val, depth+1) })
	case *ssa.Extract:
		c, ok := v.Tuple.(*ssa.Call)
		return ok && (groupOf(v, 0) != nil || slices.ContainsFunc(c.Call.Args, func(arg ssa.Value) bool {
			return provenance.IsContext(arg.Type()) && mayBeGroups(arg, depth+1)
		}))
	case *ssa.Call:
		return slices.ContainsFunc(v.Call.Args, func(arg ssa.Value) bool {
			return provenance.IsContext(arg.Type()) && mayBeGroups(arg, depth+1)
		})
	}
	return false
}

// keepsContext reports whether the context that errgroup.WithContext returns
// has a name.
func keepsContext(group *ssa.Call) bool {
	for _, ref := range *group.Referrers() {
		if ex, ok := ref.(*ssa.Extract); ok && ex.Index == 1 && len(*ex.Referrers()) > 0 {
			return true
		}
	}
	return false
}

// waitedBefore reports whether the group's Wait was called on every way to
// the instruction.
func waitedBefore(group *ssa.Call, at ssa.Instruction) bool {
	for _, b := range at.Parent().Blocks {
		if !b.Dominates(at.Block()) {
			continue
		}
		for _, instr := range b.Instrs {
			if instr == at {
				break
			}
			c, ok := instr.(*ssa.Call)
			if !ok || !isMethod(&c.Call, "golang.org/x/sync/errgroup", "Group", "Wait") {
				continue
			}
			if ex, ok := placeOf(c.Call.Args[0]).root.(*ssa.Extract); ok && ex.Tuple == group {
				return true
			}
		}
	}
	return false
}
