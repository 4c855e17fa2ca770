package ctxflow

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/loops"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file finds loops that go on after the context has ended (CTX204): a
// loop that waits in every round and of which no way out depends on a context,
// one that swallows the error of a call on the context at hand and tries
// again for ever, and one whose Done case leads round again.
//
// What an exit depends on is looked for in its condition, backwards. What is
// unknown there, a closure, a flag in memory, something that was made under a
// context, may well depend on one, and the loop is left alone.

// endless lists such loops of f. waits are the waits in f that no context
// ends; those in a loop that is listed are part of it and are taken out.
func (e *engine) endless(f *function, waits []*lapse) (found, rest []*lapse) {
	if slices.ContainsFunc(e.recursions[f], func(r *retryLoop) bool { return r.taken }) {
		waits = nil // those of a recursion that is judged as a retry
	}
	if !hasBackEdge(f.ssa) {
		return nil, waits
	}
	all := e.loopsOf(f.ssa)
	judged := map[*loops.Loop]bool{}
	for _, l := range all {
		if e.retryTaken(f, l.Head) {
			judged[l] = true
			continue
		}
		lapse := e.fallsThrough(f, l, all)
		if lapse == nil {
			lapse = e.waitsForEver(f, l, all, waits)
		}
		if lapse == nil {
			lapse = e.swallows(f, l, all)
		}
		if lapse != nil {
			judged[l] = true
			found = append(found, lapse)
		}
	}
	for _, w := range waits {
		if !slices.ContainsFunc(all, func(l *loops.Loop) bool { return judged[l] && l.Contains(w.at.Block()) }) {
			rest = append(rest, w)
		}
	}
	return found, rest
}

// retryTaken reports whether a loop is judged as a retry already: one loop has
// one verdict.
func (e *engine) retryTaken(f *function, head *ssa.BasicBlock) bool {
	return slices.ContainsFunc(e.retryLoops[f], func(r *retryLoop) bool { return r.taken && r.loop.Head == head })
}

func hasBackEdge(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(b.Succs, func(s *ssa.BasicBlock) bool { return s.Dominates(b) })
	})
}

// fallsThrough: a select in the loop has a Done case that does nothing but go
// round again, and nothing else in the loop leaves on a context. This is what
// a break in a select does, too.
func (e *engine) fallsThrough(f *function, l *loops.Loop, all []*loops.Loop) *lapse {
	for _, b := range l.Blocks {
		if loops.Around(all, b) != l {
			continue
		}
		for _, instr := range b.Instrs {
			s, ok := instr.(*ssa.Select)
			if !ok {
				continue
			}
			for i, st := range s.States {
				if doneOf(st.Chan) == nil || !e.goesRound(l, s, i) || e.leavesOnContext(l, true) {
					continue
				}
				sink := waitSink("done case", "the loop")
				return &lapse{code: finding.UncancellableLoop, home: f, at: s, pos: st.Pos, end: st.Pos + 2, sink: sink, use: fallsThroughUse}
			}
		}
	}
	return nil
}

// fallsThroughUse marks the verdict on a Done case, see Verdict.FallsThrough.
const fallsThroughUse = "return"

// FallsThrough reports whether a verdict is about a Done case that does not
// leave its loop.
func (v *Verdict) FallsThrough() bool {
	return v.Code == finding.UncancellableLoop && v.Use == fallsThroughUse
}

// goesRound reports whether the i-th case of the select does nothing and stays
// in the loop: its blocks have no effect but logging, and what they hand on to
// the others is not told apart there.
func (e *engine) goesRound(l *loops.Loop, s *ssa.Select, i int) bool {
	to := caseBlock(s, i)
	if to == nil || !l.Contains(to) {
		return false
	}
	from := caseTest(s, i)
	for range 8 { // the case's own blocks, which nothing else leads to
		if len(to.Preds) > 1 {
			return !toldApart(from, to)
		}
		for _, instr := range to.Instrs {
			if !e.noEffect(instr) {
				return false
			}
		}
		if len(to.Succs) != 1 {
			return false
		}
		from, to = to, to.Succs[0]
		if !l.Contains(to) {
			return false
		}
	}
	return false
}

// toldApart reports whether a phi of the block has another value from the
// given predecessor than from the others: a flag that the case has set.
func toldApart(from, to *ssa.BasicBlock) bool {
	i := slices.Index(to.Preds, from)
	for _, instr := range to.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		if i < 0 || !slices.ContainsFunc(phi.Edges, func(v ssa.Value) bool { return v != phi.Edges[i] }) {
			continue
		}
		if _, flag := phi.Edges[i].(*ssa.Const); flag {
			return true
		}
	}
	return i < 0
}

// noEffect reports whether an instruction changes nothing that the loop could
// see: logging and what prepares it.
func (e *engine) noEffect(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Store:
		_, temporary := localBase(instr.Addr).(*ssa.Alloc)
		return temporary && localBase(instr.Addr).(*ssa.Alloc).Comment == "varargs"
	case *ssa.Call:
		for _, t := range e.calls.Targets(&instr.Call) {
			if t.Obj == nil {
				return false
			}
			if entry, ok := e.lookup(t); ok && entry.Kind == catalog.Quiet || observes(t) || contextMethod(instr, "Err") != nil {
				continue
			}
			return false
		}
		return true
	case *ssa.Send, *ssa.Go, *ssa.Defer, *ssa.MapUpdate, *ssa.Select, *ssa.Return, *ssa.Panic, *ssa.RunDefers:
		return false
	}
	return true
}

// waitsForEver: a wait that no context ends is in the loop, on which no way
// out depends either.
func (e *engine) waitsForEver(f *function, l *loops.Loop, all []*loops.Loop, waits []*lapse) *lapse {
	for _, w := range waits {
		if loops.Around(all, w.at.Block()) != l || e.leavesOnContext(l, false) {
			continue
		}
		pos := loopPos(f.ssa, w.at.Pos())
		if !pos.IsValid() {
			return nil
		}
		return &lapse{code: finding.UncancellableLoop, home: f, at: w.at, pos: pos, end: pos + token.Pos(len("for")), sink: w.sink}
	}
	return nil
}

// swallows: every round calls something on the context at hand, and its error
// leads round again. Once the context is done the loop spins.
func (e *engine) swallows(f *function, l *loops.Loop, all []*loops.Loop) *lapse {
	switch l.Kind() {
	case loops.Each, loops.Counted, loops.Drain:
		return nil // ends by itself, at once where every step fails at once
	}
	for _, cs := range f.calls {
		b := cs.instr.Block()
		call, ok := cs.instr.(*ssa.Call)
		if !ok || loops.Around(all, b) != l || !l.EveryRound(b) || !returnsError(call.Call.Signature()) {
			continue
		}
		for _, t := range cs.targets {
			for _, arg := range e.blockingArgs(t, cs.instr) {
				if !e.mayEnd(arg.arg) || arg.sink.Local || e.leavesOnContext(l, false) {
					continue
				}
				pos := loopPos(f.ssa, call.Pos())
				if !pos.IsValid() {
					return nil
				}
				return &lapse{code: finding.UncancellableLoop, home: f, at: call, pos: pos, end: pos + token.Pos(len("for")), sink: arg.sink}
			}
		}
	}
	return nil
}

// mayEnd reports whether a context is a caller's own, and not one made in the
// round.
func (e *engine) mayEnd(ctx ssa.Value) bool {
	os := e.trace.Of(ctx)
	for _, o := range os {
		if o.Kind != provenance.Param {
			return false
		}
	}
	return len(os) > 0
}

// loopPos is where the innermost for statement around a position begins.
func loopPos(fn *ssa.Function, pos token.Pos) token.Pos {
	found := token.NoPos
	if fn.Syntax() == nil {
		return found
	}
	ast.Inspect(fn.Syntax(), func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		switch n := n.(type) {
		case *ast.ForStmt:
			found = n.For
		case *ast.RangeStmt:
			found = n.For
		case *ast.FuncLit:
			if n != fn.Syntax() {
				found = token.NoPos
			}
		}
		return true
	})
	return found
}
