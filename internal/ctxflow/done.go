package ctxflow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// afterDone: the work happens where the context at hand has ended, for it is
// dominated by a receive from Done, by the Done case of a select, or by a
// test that Err is not nil; or the function has waited for a signal to stop.
// Shutdown cannot use a context that is done.
func (e *engine) afterDone(p *passage) bool { return e.afterDoneAt(p.in, p.site.instr) }

func (e *engine) afterDoneAt(f *function, at ssa.Instruction) bool {
	for ; f != nil; f = f.parent {
		if e.doneBefore(at) {
			return true
		}
		mc := madeAt(f)
		if mc == nil {
			return false
		}
		at = mc.(ssa.Instruction)
	}
	return false
}

func (e *engine) doneBefore(at ssa.Instruction) bool {
	for _, instr := range at.Block().Instrs {
		if instr == at {
			break
		}
		if e.waitsForEnd(instr) {
			return true
		}
	}
	for b := at.Block(); b != nil; b = b.Idom() {
		if b != at.Block() {
			for _, instr := range b.Instrs {
				if e.waitsForEnd(instr) || selectsEnd(instr, at.Block()) {
					return true
				}
			}
		}
		if len(b.Preds) == 1 && saysDone(b.Preds[0], b) {
			return true
		}
	}
	return false
}

// waitsForEnd matches <-ctx.Done() and a receive from a channel of signals.
func (e *engine) waitsForEnd(instr ssa.Instruction) bool {
	u, ok := instr.(*ssa.UnOp)
	return ok && u.Op == token.ARROW && endChannel(u.X)
}

func endChannel(ch ssa.Value) bool {
	if doneOf(ch) != nil {
		return true
	}
	c, ok := ch.Type().Underlying().(*types.Chan)
	if !ok {
		return false
	}
	n, ok := types.Unalias(c.Elem()).(*types.Named)
	return ok && n.Obj().Name() == "Signal" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "os"
}

// selectsEnd reports whether instr is a blocking select with a Done case from
// which control can come to the block, without the select running again: some
// way to the block then has a context that is done.
func selectsEnd(instr ssa.Instruction, to *ssa.BasicBlock) bool {
	s, ok := instr.(*ssa.Select)
	if !ok || !s.Blocking {
		return false
	}
	for i, st := range s.States {
		if st.Dir == types.RecvOnly && endChannel(st.Chan) {
			if b := caseBlock(s, i); b != nil && reaches(b, to, s.Block()) {
				return true
			}
		}
	}
	return false
}

// caseBlock is where control goes when the i-th case of the select is taken.
func caseBlock(s *ssa.Select, i int) *ssa.BasicBlock {
	test := caseTest(s, i)
	if test == nil {
		return nil
	}
	branch, ok := test.Instrs[len(test.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	if cmp, ok := branch.Cond.(*ssa.BinOp); !ok || !isIndex(cmp.Y, i) {
		return nil
	}
	return test.Succs[0]
}

// caseTest is the block that branches to the i-th case.
func caseTest(s *ssa.Select, i int) *ssa.BasicBlock {
	for _, ref := range *s.Referrers() {
		index, ok := ref.(*ssa.Extract)
		if !ok || index.Index != 0 {
			continue
		}
		for _, use := range *index.Referrers() {
			if cmp, ok := use.(*ssa.BinOp); ok && isIndex(cmp.Y, i) {
				return cmp.Block()
			}
		}
	}
	return nil
}

func isIndex(v ssa.Value, i int) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Int64() == int64(i)
}

// reaches reports whether control can go from one block to another without
// passing the block to avoid.
func reaches(from, to, avoid *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{avoid: true}
	work := []*ssa.BasicBlock{from}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == to {
			return true
		}
		if !seen[b] {
			seen[b] = true
			work = append(work, b.Succs...)
		}
	}
	return false
}

// saysDone reports whether the branch from b to succ is taken when a context
// was found to be done: ctx.Err() != nil, or the Done case of a select.
func saysDone(b, succ *ssa.BasicBlock) bool {
	branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	cmp, ok := branch.Cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	taken := b.Succs[0] == succ
	if contextMethod(cmp.X, "Err") != nil && isNil(cmp.Y) {
		return taken == (cmp.Op == token.NEQ)
	}
	index, ok := cmp.X.(*ssa.Extract)
	if !ok || index.Index != 0 || !taken {
		return false
	}
	s, ok := index.Tuple.(*ssa.Select)
	if !ok {
		return false
	}
	for i, st := range s.States {
		if isIndex(cmp.Y, i) && endChannel(st.Chan) {
			return true
		}
	}
	return false
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// madeAt is the instruction that makes the closure f, or nil.
func madeAt(f *function) ssa.Value {
	if f.parent == nil || f.ssa.Referrers() == nil {
		return nil
	}
	for _, ref := range *f.ssa.Referrers() {
		if mc, ok := ref.(*ssa.MakeClosure); ok {
			return mc
		}
	}
	return nil
}
