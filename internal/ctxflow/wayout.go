package ctxflow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/loops"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file asks whether the condition by which a loop is left may depend on a
// context.

// leavesOnContext reports whether a way out of the loop may depend on a
// context. Strictly, only what certainly does counts.
func (e *engine) leavesOnContext(l *loops.Loop, strict bool) bool {
	h := heeder{e: e, loop: l, strict: strict, seen: map[ssa.Value]bool{}}
	for _, exit := range l.Exits() {
		if _, panics := exit.To.Instrs[len(exit.To.Instrs)-1].(*ssa.Panic); panics {
			continue // what SSA adds after the last case of a select
		}
		if h.leavesLater(exit) || slices.ContainsFunc(conditions(l, exit), h.decides) {
			return true
		}
	}
	return false
}

// condition is a branch that control takes on the way to an exit.
type condition struct {
	cond  ssa.Value
	value bool
}

// conditions lists what decides that control takes an exit: the branch itself
// and those before it in the loop on which it depends.
func conditions(l *loops.Loop, exit loops.Exit) []condition {
	var out []condition
	to := exit.To
	for b := exit.From; b != nil && l.Contains(b); to, b = b, b.Idom() {
		if branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && (to == exit.To || len(to.Preds) == 1) {
			out = append(out, condition{branch.Cond, b.Succs[0] == to})
		}
		if b == l.Head {
			break
		}
	}
	return out
}

// heeder looks for contexts behind a condition.
type heeder struct {
	e      *engine
	loop   *loops.Loop
	strict bool
	seen   map[ssa.Value]bool
}

// decides reports whether a context may be behind a branch. Which case of a
// select was taken tells of its channel alone.
func (h *heeder) decides(c condition) bool {
	if s, i, ok := caseOf(c.cond); ok {
		return c.value && h.tells(s.States[i].Chan)
	}
	return h.heeds(c.cond)
}

// leavesLater reports whether the exit is taken by a later case of a select
// that tells of a context: where none of them goes round, the blocks that tell
// them apart are no part of the loop.
func (h *heeder) leavesLater(exit loops.Exit) bool {
	branch, ok := exit.From.Instrs[len(exit.From.Instrs)-1].(*ssa.If)
	if !ok || exit.To != exit.From.Succs[1] {
		return false
	}
	s, i, ok := caseOf(branch.Cond)
	return ok && slices.ContainsFunc(s.States[i+1:], func(st *ssa.SelectState) bool { return h.tells(st.Chan) })
}

// tells reports whether a channel's being ready may tell of a context's end.
func (h *heeder) tells(ch ssa.Value) bool {
	return endChannel(ch) || !h.strict && !isTimer(ch.Type())
}

// caseOf is the case of a select that a condition tests for.
func caseOf(cond ssa.Value) (s *ssa.Select, i int, ok bool) {
	cmp, ok := cond.(*ssa.BinOp)
	if !ok {
		return nil, 0, false
	}
	index, ok := cmp.X.(*ssa.Extract)
	if !ok || index.Index != 0 {
		return nil, 0, false
	}
	if s, ok = index.Tuple.(*ssa.Select); !ok {
		return nil, 0, false
	}
	for i := range s.States {
		if isIndex(cmp.Y, i) {
			return s, i, true
		}
	}
	return nil, 0, false
}

func (h *heeder) heeds(v ssa.Value) bool {
	if v == nil || h.seen[v] {
		return false
	}
	h.seen[v] = true
	if h.loop.Invariant(v) {
		return false
	}
	switch v := v.(type) {
	case *ssa.Call:
		return h.call(&v.Call)
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			return h.memory(v.X)
		case token.ARROW:
			return doneOf(v.X) != nil || !h.strict && !isTimer(v.X.Type())
		}
	case *ssa.Select:
		for _, st := range v.States {
			if endChannel(st.Chan) || !h.strict && !isTimer(st.Chan.Type()) {
				return true
			}
		}
		return false
	}
	instr, ok := v.(ssa.Instruction)
	if !ok {
		return false
	}
	for _, op := range instr.Operands(nil) {
		if *op != nil && h.heeds(*op) {
			return true
		}
	}
	return false
}

// memory is a read of a variable that somebody may have changed on account of
// a context.
func (h *heeder) memory(addr ssa.Value) bool {
	switch a := addr.(type) {
	case *ssa.Alloc:
		vals, ok := callee.StoredIn(a)
		if !ok {
			return !h.strict || h.givenToCall(a)
		}
		return slices.ContainsFunc(vals, h.heeds) || !h.strict && inClosure(a)
	case *ssa.FieldAddr:
		if base, ok := a.X.(*ssa.Alloc); ok {
			return !h.strict || h.givenToCall(base)
		}
	}
	if instr, ok := addr.(ssa.Instruction); ok && !h.loop.Invariant(addr) {
		for _, op := range instr.Operands(nil) {
			if *op != nil && h.heeds(*op) {
				return true
			}
		}
		_, field := addr.(*ssa.FieldAddr)
		return field && !h.strict
	}
	return !h.strict
}

// givenToCall reports whether a local is filled by a call with a context.
func (h *heeder) givenToCall(a *ssa.Alloc) bool {
	for _, ref := range *a.Referrers() {
		if call, ok := ref.(*ssa.Call); ok && h.call(&call.Call) {
			return true
		}
	}
	return false
}

// call reports whether what a call in the loop returns may depend on a context.
func (h *heeder) call(c *ssa.CallCommon) bool {
	args := c.Args
	if c.IsInvoke() {
		args = append([]ssa.Value{c.Value}, args...)
	}
	for _, arg := range args {
		switch {
		case provenance.Carries(arg.Type()):
			return true
		case isBasic(arg.Type()) && h.heeds(arg):
			return true
		case isFunc(arg.Type()):
			if !h.strict || closesOverContext(arg) {
				return true
			}
		case !h.strict && !h.e.plainArg(arg, 0):
			return true
		}
	}
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return false
	}
	for _, t := range h.e.calls.Targets(c) {
		switch {
		case t.Fn != nil && mentionsContext(t.Fn, 2):
			return true
		case t.Fn == nil && t.Obj == nil && (!h.strict || closesOverContext(c.Value)):
			return true
		}
	}
	return false
}

func isBasic(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

func closesOverContext(v ssa.Value) bool {
	mc, ok := v.(*ssa.MakeClosure)
	return ok && mentionsContext(mc.Fn.(*ssa.Function), 2)
}

// mentionsContext reports whether a function, or one that it calls, touches a
// context.
func mentionsContext(fn *ssa.Function, depth int) bool {
	for _, v := range fn.FreeVars {
		if p, ok := v.Type().Underlying().(*types.Pointer); provenance.Carries(v.Type()) || ok && provenance.Carries(p.Elem()) {
			return true
		}
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if v, ok := instr.(ssa.Value); ok && provenance.Carries(v.Type()) {
				return true
			}
			c, ok := instr.(ssa.CallInstruction)
			if !ok || depth == 0 {
				continue
			}
			if callee := c.Common().StaticCallee(); callee != nil && callee.Pkg == fn.Pkg && mentionsContext(callee, depth-1) {
				return true
			}
		}
	}
	return false
}
