package ctxflow

import (
	"golang.org/x/tools/go/ssa"
)

// oneStep: a step with its own deadline, in a loop that leaves on the context
// at hand on every round. It stops between steps and never inside one.
func (e *engine) oneStep(p *passage) bool {
	if !p.o.Bounded {
		return false
	}
	at := p.site.instr.Block()
	loop := loopAround(at)
	for b := range loop {
		if leavesWhenDone(b, loop) && !roundWithout(at, b, loop) {
			return true
		}
	}
	return false
}

// leavesWhenDone reports whether the loop is left from the block when a
// context is done: by a test of Err, or by the Done case of a select.
func leavesWhenDone(b *ssa.BasicBlock, loop map[*ssa.BasicBlock]bool) bool {
	for _, succ := range b.Succs {
		if !loop[succ] && saysDone(b, succ) {
			return true
		}
	}
	for _, instr := range b.Instrs {
		s, ok := instr.(*ssa.Select)
		if !ok {
			continue
		}
		for i, st := range s.States {
			if endChannel(st.Chan) {
				if to := caseBlock(s, i); to != nil && !loop[to] {
					return true
				}
			}
		}
	}
	return false
}

// roundWithout reports whether control can come from at back to at inside the
// loop without passing the block that looks at the context.
func roundWithout(at, look *ssa.BasicBlock, loop map[*ssa.BasicBlock]bool) bool {
	if at == look {
		return false
	}
	around := closure(at, func(b *ssa.BasicBlock) []*ssa.BasicBlock {
		var next []*ssa.BasicBlock
		for _, succ := range b.Succs {
			if loop[succ] && succ != look {
				next = append(next, succ)
			}
		}
		return next
	})
	return around[at]
}

// loopAround is the set of blocks that can reach b and be reached from it, or nil.
func loopAround(b *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	forward := closure(b, func(b *ssa.BasicBlock) []*ssa.BasicBlock { return b.Succs })
	if !forward[b] {
		return nil
	}
	backward := closure(b, func(b *ssa.BasicBlock) []*ssa.BasicBlock { return b.Preds })
	for x := range forward {
		if !backward[x] {
			delete(forward, x)
		}
	}
	return forward
}

// closure is what can be reached from b in one step or more.
func closure(b *ssa.BasicBlock, next func(*ssa.BasicBlock) []*ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	seen := map[*ssa.BasicBlock]bool{}
	work := append([]*ssa.BasicBlock(nil), next(b)...)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if !seen[x] {
			seen[x] = true
			work = append(work, next(x)...)
		}
	}
	return seen
}
