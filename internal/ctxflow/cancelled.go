package ctxflow

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/provenance"
)

// cancelledBefore reports whether the function itself has ended the context
// that a call is given: every way to the call has called the cancel function
// of the context or of one that it is derived from. Deferred calls run in
// reverse order, so that a cancel deferred after a call runs before it.
//
// A variable that is assigned more than once is left alone, and so is a context
// that was cancelled before anything was done on it: it is meant to be done.
func (e *engine) cancelledBefore(f *function, arg ssa.Value, at ssa.CallInstruction) bool {
	makers := cancellable(arg)
	if len(makers) == 0 {
		return false
	}
	if cancelsOnTheWay(makers, at) {
		return true
	}
	if _, ok := at.(*ssa.Defer); ok {
		return cancelsAfter(makers, at)
	}
	if len(f.in) != 1 || !f.inside(f.in[0].from) || f.in[0].handed {
		return false
	}
	deferred, ok := f.in[0].site.instr.(*ssa.Defer)
	return ok && (cancelsOnTheWay(makers, deferred) || cancelsAfter(makers, deferred))
}

// cancellable lists the calls of package context that made the context, and
// those it is derived from, with a cancel function.
func cancellable(ctx ssa.Value) []*ssa.Call {
	var makers []*ssa.Call
	for range 8 {
		at := placeOf(ctx)
		call := ofContextPackage(at.root)
		if call == nil || at.path != "" || call.Call.StaticCallee().Name() == "WithoutCancel" {
			break
		}
		if _, ok := at.root.(*ssa.Extract); ok {
			makers = append(makers, call)
		}
		ctx = call.Call.Args[0]
	}
	return makers
}

// ofContextPackage is the call of a function of package context that gives
// the value, alone or as its first result, or nil.
func ofContextPackage(v ssa.Value) *ssa.Call {
	if ex, ok := v.(*ssa.Extract); ok && ex.Index == 0 {
		v = ex.Tuple
	}
	call, ok := v.(*ssa.Call)
	if !ok || len(call.Call.Args) == 0 || !provenance.IsContext(call.Call.Args[0].Type()) {
		return nil
	}
	if fn := call.Call.StaticCallee(); fn == nil || fn.Pkg == nil || fn.Pkg.Pkg.Path() != "context" {
		return nil
	}
	return call
}

// cancelled is the maker whose cancel function a call calls, or nil.
func cancelled(makers []*ssa.Call, c *ssa.CallCommon) *ssa.Call {
	at := placeOf(c.Value)
	ex, ok := at.root.(*ssa.Extract)
	if !ok || ex.Index != 1 || at.path != "" {
		return nil
	}
	for _, m := range makers {
		if ex.Tuple == m {
			return m
		}
	}
	return nil
}

// cancelsOnTheWay reports whether the function of the instruction has called
// a cancel function on every way to it.
func cancelsOnTheWay(makers []*ssa.Call, at ssa.Instruction) bool {
	for _, b := range at.Parent().Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok || !comesBefore(call, at) {
				continue
			}
			if m := cancelled(makers, &call.Call); m != nil && usedBefore(m, call) {
				return true
			}
		}
	}
	return false
}

// usedBefore reports whether the context that the maker returns was used for
// anything, before the call that cancels it, or is used by closures.
func usedBefore(maker, cancel *ssa.Call) bool {
	for _, ref := range *maker.Referrers() {
		ctx, ok := ref.(*ssa.Extract)
		if !ok || ctx.Index != 0 {
			continue
		}
		for _, use := range *ctx.Referrers() {
			if _, captured := use.(*ssa.Store); captured || use.Parent() != cancel.Parent() || comesBefore(use, cancel) {
				return true
			}
		}
	}
	return false
}

// cancelsAfter reports whether a cancel function is deferred right after the
// instruction, with no way out in between.
func cancelsAfter(makers []*ssa.Call, at ssa.Instruction) bool {
	after := false
	for _, instr := range at.Block().Instrs {
		if d, ok := instr.(*ssa.Defer); ok && after && cancelled(makers, &d.Call) != nil {
			return true
		}
		after = after || instr == at
	}
	return false
}
