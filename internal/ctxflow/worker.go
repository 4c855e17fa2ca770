package ctxflow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/loops"
)

// This file tells work that has the life of the process from work that ends.

// isWorker reports whether the goroutine looks like a worker or server, which
// has the life of the process: it loops, it waits for something to happen, or
// it is named after what they do.
func (e *engine) isWorker(s lossSite, sp spawn) bool {
	if e.inEndlessLoop(s.cs.instr) || sp.body != nil && (waits(sp.body.ssa) || e.hasEndlessLoop(sp.body.ssa)) {
		return true
	}
	for _, t := range s.cs.targets {
		if StartUp(t.Name()) || t.Fn != nil && e.hasEndlessLoop(t.Fn) {
			return true
		}
	}
	return false
}

// isWork reports whether a function does what a call of it does for as long as
// the process lives, or waits for something to happen first.
func (e *engine) doesOnAndOn(f *function, site *callsite) bool {
	return e.inEndlessLoop(site.instr) || e.hasEndlessLoop(f.ssa) || waits(f.ssa)
}

// inEndlessLoop reports whether an instruction is in a loop that has no end of its
// own.
func (e *engine) inEndlessLoop(instr ssa.Instruction) bool {
	for _, l := range e.loopsOf(instr.Parent()) {
		if l.Contains(instr.Block()) && !ends(l) {
			return true
		}
	}
	return false
}

// hasEndlessLoop reports whether a function has such a loop. One that reads the
// rows of a result ends with them.
func (e *engine) hasEndlessLoop(fn *ssa.Function) bool {
	return slices.ContainsFunc(e.loopsOf(fn), func(l *loops.Loop) bool { return !ends(l) && !readsRows(l) })
}

// loopsOf lists the loops of a function, which many rules ask for.
func (e *engine) loopsOf(fn *ssa.Function) []*loops.Loop {
	ls, ok := e.loops[fn]
	if !ok {
		if e.loops == nil {
			e.loops = map[*ssa.Function][]*loops.Loop{}
		}
		ls = loops.Of(fn)
		e.loops[fn] = ls
	}
	return ls
}

// ends reports whether a loop ends with what it goes over: a collection, or a
// count.
func ends(l *loops.Loop) bool {
	kind := l.Kind()
	return kind == loops.Each || kind == loops.Counted
}

func readsRows(l *loops.Loop) bool {
	if l.Kind() != loops.Drain {
		return false
	}
	for _, exit := range l.Exits() {
		if branch, ok := exit.From.Instrs[len(exit.From.Instrs)-1].(*ssa.If); ok {
			if c, ok := branch.Cond.(*ssa.Call); ok {
				if obj, ok := calledObject(c); ok && obj.Name() == "Next" {
					return true
				}
			}
		}
	}
	return false
}

// waits reports whether the function receives from a channel.
func waits(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Blocks, waitsIn)
}

// waitsIn reports whether the block receives from a channel or selects.
func waitsIn(b *ssa.BasicBlock) bool {
	for _, instr := range b.Instrs {
		switch instr := instr.(type) {
		case *ssa.Select:
			return true
		case *ssa.UnOp:
			if instr.Op == token.ARROW {
				return true
			}
		}
	}
	return false
}
