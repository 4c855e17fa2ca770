package ctxflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/provenance"
)

// linked: the root has a cancel function that is called when the context at
// hand ends: it is given to context.AfterFunc, or a goroutine waits for the
// end and calls it. Cancellation arrives, as it does in merged contexts.
func (e *engine) linked(p *passage) bool {
	root, ok := p.o.Site.(*ssa.Call)
	if !ok || !p.o.Cancelled {
		return false
	}
	for _, cancel := range cancelFuncs(root, 0) {
		if e.calledAtEnd(cancel, 0) {
			return true
		}
	}
	return false
}

// cancelFuncs lists the cancel functions of what is derived from a context.
func cancelFuncs(ctx ssa.Value, depth int) []ssa.Value {
	if depth > 6 || ctx.Referrers() == nil {
		return nil
	}
	var out []ssa.Value
	for _, ref := range *ctx.Referrers() {
		call, ok := ref.(*ssa.Call)
		if !ok || call.Referrers() == nil {
			continue
		}
		for _, use := range *call.Referrers() {
			ex, ok := use.(*ssa.Extract)
			switch {
			case ok && isFunc(ex.Type()):
				out = append(out, ex)
			case ok && provenance.IsContext(ex.Type()):
				out = append(out, cancelFuncs(ex, depth+1)...)
			}
		}
		if provenance.IsContext(call.Type()) {
			out = append(out, cancelFuncs(call, depth+1)...)
		}
	}
	return out
}

// keptCancel reports whether a cancel function of the loss's root goes to where
// it outlives the call: to a field, a container or a variable of the package, to
// another function, or back to the caller, alone or in a closure. Somebody else
// then decides when the work ends, which is the function's own as long as no go
// statement sets it apart.
func keptCancel(l *loss) bool {
	root, ok := l.o.Site.(*ssa.Call)
	_, apart := l.site.instr.(*ssa.Go)
	return ok && !apart && slices.ContainsFunc(cancelFuncs(root, 0), func(cancel ssa.Value) bool { return leaves(cancel, 0) })
}

// leaves reports whether a function value goes out of its function.
func leaves(f ssa.Value, depth int) bool {
	if depth > 5 || f.Referrers() == nil {
		return false
	}
	for _, ref := range *f.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Val != f {
				continue
			}
			if a, ok := ref.Addr.(*ssa.Alloc); !ok || leaves(a, depth+1) {
				return true
			}
		case *ssa.MapUpdate, *ssa.Send, *ssa.Return:
			return true
		case *ssa.Call:
			obj, known := calledObject(ref) // an AfterFunc calls it itself
			if slices.Contains(ref.Call.Args, f) && !(known && obj.Name() == "AfterFunc") {
				return true
			}
		case *ssa.ChangeType, *ssa.UnOp, *ssa.MakeInterface, *ssa.MakeClosure, *ssa.Phi:
			if leaves(ref.(ssa.Value), depth+1) {
				return true
			}
		}
	}
	return false
}

func (e *engine) calledAtEnd(cancel ssa.Value, depth int) bool {
	if depth > 4 || cancel.Referrers() == nil {
		return false
	}
	for _, ref := range *cancel.Referrers() {
		switch ref := ref.(type) {
		case *ssa.ChangeType:
			if e.calledAtEnd(ref, depth+1) {
				return true
			}
		case *ssa.Store:
			if a, ok := ref.Addr.(*ssa.Alloc); ok && ref.Val == cancel && e.calledAtEnd(a, depth+1) {
				return true
			}
		case *ssa.UnOp:
			if e.calledAtEnd(ref, depth+1) {
				return true
			}
		case *ssa.MakeClosure:
			if e.waitsForCaller(ref.Fn.(*ssa.Function)) || e.givenToAfterFunc(ref) {
				return true
			}
		case *ssa.Call:
			if e.isAfterFunc(&ref.Call) {
				return true
			}
		}
	}
	return false
}

func (e *engine) givenToAfterFunc(closure *ssa.MakeClosure) bool {
	for _, ref := range *closure.Referrers() {
		if c, ok := ref.(*ssa.Call); ok && e.isAfterFunc(&c.Call) {
			return true
		}
	}
	return false
}

// isAfterFunc matches context.AfterFunc of a context that has a caller.
func (e *engine) isAfterFunc(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	return fn != nil && fn.Name() == "AfterFunc" && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "context" && e.hasCaller(c.Args[0])
}

// waitsForCaller reports whether a closure waits for the end of a context that
// has a caller.
func (e *engine) waitsForCaller(fn *ssa.Function) bool {
	return slices.ContainsFunc(doneWaits(fn), e.hasCaller)
}

// hasCaller reports whether a context comes from anything but a root.
func (e *engine) hasCaller(ctx ssa.Value) bool {
	return slices.ContainsFunc(e.trace.Of(ctx), func(o provenance.Origin) bool { return o.Kind != provenance.Fresh })
}

// endedByDefer: the root has a cancel function in a defer, and the goroutine
// that works on it is waited for in a defer only: a heartbeat or a lease that
// lives as long as the function, and ends with it.
func (e *engine) endedByDefer(p *passage) bool {
	root, ok := p.o.Site.(*ssa.Call)
	if !ok || !p.o.Cancelled {
		return false
	}
	for f := p.in; f.parent != nil; f = f.parent {
		for _, in := range f.in {
			g, spawned := in.site.instr.(*ssa.Go)
			if spawned && in.mode == runsAwaited && !e.awaitedBefore(in.from, g, in.site) {
				return slices.ContainsFunc(cancelFuncs(root, 0), isDeferred)
			}
		}
	}
	return false
}

// isDeferred reports whether a function value is called in a defer.
func isDeferred(f ssa.Value) bool {
	if f.Referrers() == nil {
		return false
	}
	for _, ref := range *f.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Defer:
			if ref.Call.Value == f {
				return true
			}
		case *ssa.ChangeType:
			if isDeferred(ref) {
				return true
			}
		case *ssa.Store:
			if a, ok := ref.Addr.(*ssa.Alloc); ok && ref.Val == f && isDeferred(a) {
				return true
			}
		case *ssa.UnOp:
			if isDeferred(ref) {
				return true
			}
		}
	}
	return false
}
