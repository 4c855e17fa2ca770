package ctxflow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
)

// This file counts attempts that the function which is tried counts by itself:
// a closure counts a captured variable down and, when it has come to its end,
// says that all is well, so that an executor without a bound stops.

// countsDown is how often an executor calls the function before that says so.
func (e *engine) countsDown(tried ssa.Value) (count, bool) {
	refs, complete := e.calls.Funcs(tried)
	if len(refs) != 1 || !complete || refs[0].Fn == nil || !returnsError(refs[0].Fn.Signature) {
		return count{}, false
	}
	for _, v := range refs[0].Fn.FreeVars {
		if c, ok := e.countedBy(refs[0].Fn, v); ok {
			return c, true
		}
	}
	return count{}, false
}

// countedBy is the number at which a closure's own countdown of a captured
// variable ends.
func (e *engine) countedBy(closure *ssa.Function, v *ssa.FreeVar) (count, bool) {
	bound := callee.Bindings(v)
	if len(bound) != 1 {
		return count{}, false
	}
	cell, ok := bound[0].(*ssa.Alloc)
	if !ok {
		return count{}, false
	}
	vals, ok := callee.StoredIn(cell)
	if !ok {
		return count{}, false
	}
	var first ssa.Value
	down := false
	for _, val := range vals {
		switch step, isStep := val.(*ssa.BinOp); {
		case isStep && step.Op == token.SUB && loads(step.X, v) && isIndex(step.Y, 1) && !down:
			down = true
		case first == nil:
			first = val
		default:
			return count{}, false
		}
	}
	if !down || first == nil {
		return count{}, false
	}
	last, ok := endsAt(closure, v)
	if !ok {
		return count{}, false
	}
	n, ok := e.numberOf(first, 0)
	if !ok {
		return count{}, false
	}
	return n.plus(-last), true
}

// endsAt finds the number at which the closure returns nil whatever has failed.
func endsAt(closure *ssa.Function, v *ssa.FreeVar) (int64, bool) {
	for _, b := range closure.Blocks {
		branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		cmp, ok := branch.Cond.(*ssa.BinOp)
		if !ok || !loads(cmp.X, v) {
			continue
		}
		limit, ok := cmp.Y.(*ssa.Const)
		if !ok || limit.Value == nil {
			continue
		}
		end, last := b.Succs[0], limit.Int64()
		switch cmp.Op {
		case token.EQL, token.LEQ:
		case token.LSS:
			last--
		case token.GTR, token.NEQ:
			end = b.Succs[1]
		default:
			continue
		}
		if ret, ok := end.Instrs[len(end.Instrs)-1].(*ssa.Return); ok && isNil(ret.Results[len(ret.Results)-1]) {
			return last, true
		}
	}
	return 0, false
}

// loads reports whether a value is read from the captured variable.
func loads(val ssa.Value, v *ssa.FreeVar) bool {
	u, ok := val.(*ssa.UnOp)
	return ok && u.Op == token.MUL && u.X == ssa.Value(v)
}
