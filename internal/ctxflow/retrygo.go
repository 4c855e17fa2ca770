package ctxflow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/errflow"
)

// This file follows attempts into goroutines whose end is waited for: what they
// try again is tried again by whoever tries the whole again. Their errors come
// back in a group's Wait, in an element of a slice, or on a channel; where one is
// left otherwise it is not known to come back, and the layers stay apart.

// groupPaths are the paths, with layers, of what a group was given to run, at the
// call that waits for it and returns its error.
func (e *engine) groupPaths(f *function, cs *callsite, t callee.Target) []*retryPath {
	if t.Obj == nil || t.RecvShift() == 0 || !returnsError(t.Obj.Signature()) {
		return nil
	}
	group := placeOf(t.Args[0])
	var out []*retryPath
	for _, g := range f.out {
		if !g.handed || g.to == nil || g.mode != runsAwaited {
			continue
		}
		for _, by := range g.site.targets {
			if by.Obj == nil || by.RecvShift() == 0 || placeOf(by.Args[0]) != group {
				continue
			}
			if entry, ok := e.lookup(by); !ok || entry.Kind != catalog.Spawn || entry.Wait != t.Obj.Name() {
				continue
			}
			for _, p := range g.to.paths {
				if p.hole == nil && len(p.layers) > 0 {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// leaves is the slice or channel in which a goroutine leaves the call's error.
func (e *engine) leaves(f *function, call *ssa.Call) (place, bool) {
	if !e.startedApart(f) {
		return place{}, false
	}
	for _, ref := range errorUses(call) {
		switch ref := ref.(type) {
		case *ssa.Store:
			if at, ok := ref.Addr.(*ssa.IndexAddr); ok {
				return placeOf(at.X), true
			}
		case *ssa.Send:
			return placeOf(ref.Chan), true
		}
	}
	return place{}, false
}

// errorUses lists what is done with a call's error.
func errorUses(call *ssa.Call) []ssa.Instruction {
	i, ok := errflow.ErrorOf(call)
	if !ok || call.Referrers() == nil {
		return nil
	}
	if call.Call.Signature().Results().Len() == 1 {
		return *call.Referrers()
	}
	var out []ssa.Instruction
	for _, ref := range *call.Referrers() {
		if ex, ok := ref.(*ssa.Extract); ok && ex.Index == i && ex.Referrers() != nil {
			out = append(out, *ex.Referrers()...)
		}
	}
	return out
}

func (e *engine) startedApart(f *function) bool {
	for _, in := range f.in {
		if _, ok := in.site.instr.(*ssa.Go); ok {
			return true
		}
	}
	return false
}

// comesBack is the way of the errors of a goroutine that f starts and awaits: to
// f's result, if that is made of what the goroutine leaves its error in.
func (e *engine) comesBack(f *function, cs *callsite) way {
	if !returnsError(f.ssa.Signature) {
		return way{}
	}
	last := f.ssa.Signature.Results().Len() - 1
	for _, t := range cs.targets {
		body := e.bySSA[t.Fn]
		if t.Fn == nil || body == nil {
			continue
		}
		for _, inner := range body.calls {
			call, ok := inner.instr.(*ssa.Call)
			if !ok {
				continue
			}
			left, ok := e.leaves(body, call)
			if !ok {
				continue
			}
			for _, ret := range returns(f.ssa) {
				if takenFrom(ret.Results[last], left, 0) {
					return straight
				}
			}
		}
	}
	return way{}
}

// takenFrom reports whether an error is an element of the place, a value received
// from it, or one that errors.Join makes of all.
func takenFrom(v ssa.Value, from place, depth int) bool {
	if depth > maxTaken || placeOf(v) == from {
		return depth <= maxTaken
	}
	switch v := v.(type) {
	case *ssa.Phi:
		for _, edge := range v.Edges {
			if takenFrom(edge, from, depth+1) {
				return true
			}
		}
	case *ssa.Extract:
		return takenFrom(v.Tuple, from, depth+1)
	case *ssa.UnOp:
		if at, ok := v.X.(*ssa.IndexAddr); ok && v.Op == token.MUL {
			return takenFrom(at.X, from, depth+1)
		}
		if v.Op == token.ARROW {
			return takenFrom(v.X, from, depth+1)
		}
	case *ssa.Call:
		fn := v.Call.StaticCallee()
		if fn == nil || fn.Pkg == nil || fn.Pkg.Pkg.Path() != "errors" || fn.Name() != "Join" {
			return false
		}
		for _, arg := range v.Call.Args {
			if takenFrom(arg, from, depth+1) {
				return true
			}
		}
	}
	return false
}

// maxTaken bounds the way back from a result to what it is taken from.
const maxTaken = 8
