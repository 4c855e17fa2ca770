// Package loops finds the loops of a function in SSA form: which blocks go
// round, what ends them, and how often they can go round by count.
//
// It knows control flow and arithmetic only. Whether a loop repeats what has
// failed depends on what an error can be, which internal/errflow and
// internal/ctxflow know.
package loops

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Loop is a natural loop: all blocks from which a back edge to Head can be
// reached without passing Head. Loops that share a head are one. A cycle that
// goto enters at several places has no head and is not found.
type Loop struct {
	Head    *ssa.BasicBlock
	Blocks  []*ssa.BasicBlock // by index, Head included
	Latches []*ssa.BasicBlock // the sources of the back edges
	Outer   *Loop             // the innermost loop around this one, or nil

	in map[*ssa.BasicBlock]bool
}

// Exit is an edge that leaves a loop.
type Exit struct{ From, To *ssa.BasicBlock }

// Of lists the loops of a function, outer ones before those inside them.
func Of(fn *ssa.Function) []*Loop {
	byHead := map[*ssa.BasicBlock]*Loop{}
	var all []*Loop
	for _, b := range fn.Blocks {
		for _, head := range b.Succs {
			if !head.Dominates(b) {
				continue
			}
			l := byHead[head]
			if l == nil {
				l = &Loop{Head: head, in: map[*ssa.BasicBlock]bool{head: true}}
				byHead[head] = l
				all = append(all, l)
			}
			l.Latches = append(l.Latches, b)
			l.grow(b)
		}
	}
	for _, l := range all {
		for b := range l.in {
			l.Blocks = append(l.Blocks, b)
		}
		slices.SortFunc(l.Blocks, func(a, b *ssa.BasicBlock) int { return a.Index - b.Index })
	}
	// A loop inside another has fewer blocks.
	slices.SortStableFunc(all, func(a, b *Loop) int { return len(b.Blocks) - len(a.Blocks) })
	for i, l := range all {
		for _, o := range all[:i] {
			if o.in[l.Head] && o.Head != l.Head {
				l.Outer = o // the last one that fits is the smallest
			}
		}
	}
	return all
}

func (l *Loop) grow(b *ssa.BasicBlock) {
	if l.in[b] {
		return
	}
	l.in[b] = true
	for _, p := range b.Preds {
		l.grow(p)
	}
}

// Contains reports whether the block goes round with the loop.
func (l *Loop) Contains(b *ssa.BasicBlock) bool { return l.in[b] }

// Exits lists the edges that leave the loop.
func (l *Loop) Exits() []Exit {
	var out []Exit
	for _, b := range l.Blocks {
		for _, s := range b.Succs {
			if !l.in[s] {
				out = append(out, Exit{b, s})
			}
		}
	}
	return out
}

// Around is the innermost of a function's loops that the block is in, or nil.
func Around(all []*Loop, b *ssa.BasicBlock) *Loop {
	for _, l := range slices.Backward(all) {
		if l.in[b] {
			return l
		}
	}
	return nil
}

// EveryRound reports whether every way round the loop passes the block.
func (l *Loop) EveryRound(b *ssa.BasicBlock) bool {
	for _, latch := range l.Latches {
		if !b.Dominates(latch) {
			return false
		}
	}
	return l.in[b]
}

// Invariant reports whether the value is the same in every round, as far as
// its definition tells: what is read from memory may change.
func (l *Loop) Invariant(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const, *ssa.Parameter, *ssa.FreeVar, *ssa.Global, *ssa.Function:
		return true
	case ssa.Instruction:
		return !l.in[v.Block()]
	}
	return false
}
