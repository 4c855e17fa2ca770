package ctxflow

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/loops"
)

// This file finds long work that a request enters after it has waited, without
// asking whether its caller is still there (CTX205). It must be shown that
// nobody asked: not the wait, whose error would have left, not a test of the
// context in between, not the loop that the work is in.

// findExpensive lists such work.
func (e *engine) findExpensive() []*lapse {
	var out []*lapse
	for _, f := range e.funcs {
		if !e.reached[f] || len(e.atHand(f)) == 0 {
			continue
		}
		for _, cs := range f.calls {
			call, ok := cs.instr.(*ssa.Call)
			if !ok {
				continue
			}
			for _, t := range cs.targets {
				if t.Obj == nil || takesContext(t.Obj.Signature()) || !e.catalog.Expensive(t.Obj) || !e.entersUnasked(f, call) {
					continue
				}
				out = append(out, &lapse{
					code: finding.ExpensiveAfterGone, home: f, at: call, pos: call.Pos(),
					sink: Sink{Key: t.Obj.FullName(), Name: callee.ShortName(t.Obj), Known: true}, unsafe: e.writesBefore(f, call.Pos()),
				})
				break
			}
		}
	}
	return out
}

// entersUnasked reports whether the function has waited for something before
// the call, or goes round a loop over it, and has not asked the context since.
func (e *engine) entersUnasked(f *function, call *ssa.Call) bool {
	at := call.Block()
	all := e.loopsOf(f.ssa)
	if l := loops.Around(all, at); l != nil && !e.asksIn(f, l.Blocks, nil, call) && !e.leavesOnContext(l, false) && e.waitsBefore(f, call) != nil {
		return true
	}
	wait := e.waitsBefore(f, call)
	return wait != nil && !e.asksBetween(f, wait, call)
}

// waitsBefore is the last blocking call that certainly comes before.
func (e *engine) waitsBefore(f *function, call *ssa.Call) *callsite {
	var last *callsite
	for _, cs := range f.calls {
		if _, plain := cs.instr.(*ssa.Call); !plain || cs.instr == call || !comesBefore(cs.instr, call) || !e.blocksAt(cs) {
			continue
		}
		if last == nil || comesBefore(last.instr, cs.instr) {
			last = cs
		}
	}
	return last
}

// asksBetween reports whether the context is asked from the wait on: by the
// wait itself, if the work is only done where its error is nil, or by whatever
// consults a context on the way.
func (e *engine) asksBetween(f *function, wait *callsite, call *ssa.Call) bool {
	takes := slices.ContainsFunc(wait.targets, func(t callee.Target) bool { return len(e.blockingArgs(t, wait.instr)) > 0 })
	if takes && onlyWithoutError(wait.instr, call.Block()) {
		return true
	}
	between := f.ssa.Blocks[:0:0]
	for _, b := range f.ssa.Blocks {
		if wait.instr.Block().Dominates(b) && (b == call.Block() || reaches(b, call.Block(), wait.instr.Block())) {
			between = append(between, b)
		}
	}
	return e.asksIn(f, append(between, wait.instr.Block()), wait.instr, call)
}

// onlyWithoutError reports whether a block is reached only where the call's
// error was found to be nil.
func onlyWithoutError(wait ssa.CallInstruction, at *ssa.BasicBlock) bool {
	for b := at; b != nil; b = b.Idom() {
		if len(b.Preds) != 1 {
			continue
		}
		pred := b.Preds[0]
		branch, ok := pred.Instrs[len(pred.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		cmp, ok := branch.Cond.(*ssa.BinOp)
		if !ok || !isError(cmp.X.Type()) || !isNil(cmp.Y) || !resultOf(cmp.X, wait, 0) {
			continue
		}
		if saysFailed(cmp, pred.Succs[0] == b) == notFailed {
			return true
		}
	}
	return false
}

func resultOf(v ssa.Value, call ssa.CallInstruction, depth int) bool {
	if depth > 6 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Call:
		return v == call
	case *ssa.Extract:
		return resultOf(v.Tuple, call, depth+1)
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.Alloc); ok {
			vals, _ := callee.StoredIn(a)
			return slices.ContainsFunc(vals, func(x ssa.Value) bool { return resultOf(x, call, depth+1) })
		}
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(x ssa.Value) bool { return resultOf(x, call, depth+1) })
	}
	return false
}

// asksIn reports whether something in the blocks, after the one call if there
// is one, asks a context: Err, Done or Deadline, or a call that is given one and
// may well do so.
func (e *engine) asksIn(f *function, blocks []*ssa.BasicBlock, after ssa.CallInstruction, before *ssa.Call) bool {
	for _, cs := range f.calls {
		if cs.instr == before || !slices.Contains(blocks, cs.instr.Block()) || after != nil && !comesBefore(after, cs.instr) {
			continue
		}
		c := cs.instr.Common()
		for _, name := range []string{"Err", "Done", "Deadline"} {
			if v, ok := cs.instr.(*ssa.Call); ok && contextMethod(v, name) != nil {
				return true
			}
		}
		if takesContext(c.Signature()) && !e.blocksAt(cs) && !e.quietAt(cs) {
			return true
		}
	}
	return false
}

// quietAt reports whether all that a call may run is known to leave the
// context that it is given alone.
func (e *engine) quietAt(cs *callsite) bool {
	for _, t := range cs.targets {
		if own := e.bySSA[t.Fn]; t.Fn != nil && own != nil {
			for i := range t.Args {
				if e.consulted[paramKey{t.Fn, i}] {
					return false
				}
			}
			continue
		}
		if t.Obj == nil {
			return false
		}
		if _, ok := e.lookup(t); !ok && !observes(t) {
			return false
		}
	}
	return true
}
