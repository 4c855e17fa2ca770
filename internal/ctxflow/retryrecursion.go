package ctxflow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/errflow"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// passAgain is set where a function calls itself.
const passAgain errflow.Trail = 1 << 15

// recursionsIn lists the calls that a function tries again by calling itself:
// if the call fails control comes to the function's call of itself, and if it
// succeeds it does not.
func (e *engine) recursionsIn(f *function) []*retryLoop {
	if f.ssa.Blocks == nil || len(f.ssa.Blocks) > maxRetryBlocks || f.parent != nil {
		return nil
	}
	var self *ssa.Call
	for _, cs := range f.calls {
		c, ok := cs.instr.(*ssa.Call)
		if ok && c.Call.StaticCallee() == f.ssa && len(c.Call.Args) == len(f.ssa.Params) && sameReceiver(f, c) {
			if self != nil {
				return nil // a walk over a tree, more likely
			}
			self = c
		}
	}
	if self == nil || writesTo(f, self.Call.Args) {
		return nil
	}
	watch := func(instr ssa.Instruction, _ func(ssa.Value) errflow.Value) errflow.Trail {
		if instr == ssa.Instruction(self) {
			return passAgain
		}
		return e.passes(instr, 0)
	}
	var out []*retryLoop
	for _, cs := range f.calls {
		call, ok := cs.instr.(*ssa.Call)
		if !ok || call == self || !e.mayFail(call) || !call.Block().Dominates(self.Block()) {
			continue
		}
		success, ok := e.errors.Run(errflow.Assumption{Call: call, Err: errflow.Error(retry.Errors(retry.OK)), Others: true}, nil, watch)
		if !ok || slices.ContainsFunc(success, callsItself) {
			continue
		}
		if r := e.recursionOf(f, cs, self, watch); r.retries != 0 {
			out = append(out, r)
		}
	}
	return out
}

func callsItself(end errflow.End) bool { return end.Trail&passAgain != 0 }

// recursionOf reports on which failures of the attempt the function calls
// itself, and what it does before.
func (e *engine) recursionOf(f *function, attempt *callsite, self *ssa.Call, watch errflow.Observer) *retryLoop {
	r := &retryLoop{f: f, attempt: attempt, work: attempt, pos: self.Pos(), count: e.depthOf(f, self)}
	unwaited, consulted, deaf := false, false, false
	for _, class := range failures.Classes() {
		ends, ok := e.errors.Run(errflow.Assumption{Call: attempt.instr, Err: errflow.Error(retry.Errors(class))}, nil, watch)
		if !ok || !slices.ContainsFunc(ends, callsItself) {
			continue
		}
		r.retries |= retry.Errors(class)
		if !slices.ContainsFunc(ends, func(end errflow.End) bool { return !callsItself(end) }) {
			r.endless |= retry.Errors(class)
		}
		for _, end := range ends {
			if callsItself(end) {
				r.waits = r.waits || end.Trail&passWait != 0
				unwaited = unwaited || end.Trail&(passWait|passMaybe) == 0
				consulted = consulted || end.Trail&passConsult != 0
				deaf = deaf || end.Trail&passDeaf != 0 && (retry.ContextEnd.Has(class) || !takesAnyContext(attempt.instr.(*ssa.Call)))
			}
		}
	}
	r.tight, r.deaf = unwaited && !r.waits, deaf && !consulted
	if r.count.param == nil && r.endless != 0 {
		r.count = known(retry.Unbounded())
	}
	return r
}

// writesTo reports whether a function writes to a field of what it gives to its
// call of itself, but for its receiver: it asks for something else then.
func writesTo(f *function, args []ssa.Value) bool {
	if f.ssa.Signature.Recv() != nil {
		args = args[1:]
	}
	for _, b := range f.ssa.Blocks {
		for _, instr := range b.Instrs {
			st, ok := instr.(*ssa.Store)
			if !ok {
				continue
			}
			if fa, ok := st.Addr.(*ssa.FieldAddr); ok && slices.Contains(args, placeOf(fa.X).root) {
				return true
			}
		}
	}
	return false
}

// sameReceiver reports whether a method calls itself on its own receiver: on
// another value it walks.
func sameReceiver(f *function, c *ssa.Call) bool {
	return f.ssa.Signature.Recv() == nil || c.Call.Args[0] == ssa.Value(f.ssa.Params[0])
}

// depthOf is how often the function is called at most, itself included, if a
// parameter counts down to a constant.
func (e *engine) depthOf(f *function, self *ssa.Call) count {
	for i, arg := range self.Call.Args {
		step, ok := arg.(*ssa.BinOp)
		if !ok || step.X != ssa.Value(f.ssa.Params[i]) {
			continue
		}
		by, ok := step.Y.(*ssa.Const)
		if !ok || by.Value == nil || by.Int64() != 1 || step.Op != token.SUB {
			continue
		}
		for b := self.Block(); b.Idom() != nil; b = b.Idom() {
			if least, ok := testOf(b.Idom(), b, f.ssa.Params[i]); ok {
				return count{param: f.ssa.Params[i], add: int(1 - least)}
			}
		}
	}
	return known(retry.Unknown())
}

// testOf reads a branch that is taken while a parameter is above a constant.
func testOf(from, to *ssa.BasicBlock, p *ssa.Parameter) (least int64, ok bool) {
	branch, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok || len(to.Preds) != 1 {
		return 0, false
	}
	cmp, ok := branch.Cond.(*ssa.BinOp)
	if !ok || cmp.X != ssa.Value(p) {
		return 0, false
	}
	k, ok := cmp.Y.(*ssa.Const)
	if !ok || k.Value == nil {
		return 0, false
	}
	taken := from.Succs[0] == to
	switch {
	case taken && cmp.Op == token.GTR, taken && cmp.Op == token.NEQ, !taken && cmp.Op == token.LEQ, !taken && cmp.Op == token.EQL:
		return k.Int64(), true
	case taken && cmp.Op == token.GEQ, !taken && cmp.Op == token.LSS:
		return k.Int64() - 1, true
	}
	return 0, false
}
