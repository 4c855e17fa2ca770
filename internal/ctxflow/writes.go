package ctxflow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
)

// This file tells where ending the work could leave half of two writes, which
// rules out a fix.

// writesBefore reports whether another call that changes state may come
// before the position in the same function, closures included.
func (e *engine) writesBefore(f *function, pos token.Pos) bool {
	for _, g := range e.funcs[f.named.index:] {
		if g.named != f.named {
			break // closures come right after the function they are in
		}
		for _, cs := range g.calls {
			if cs.instr.Pos() < pos && slices.ContainsFunc(cs.targets, func(t callee.Target) bool { return e.changesState(t, cs.instr) }) {
				return true
			}
		}
	}
	return false
}

// changesState reports whether a call waits for something to be written, with
// or without a context, in the callee or, as the callee's name says, below it.
func (e *engine) changesState(t callee.Target, instr ssa.CallInstruction) bool {
	if t.Obj != nil {
		if entry, ok := e.lookup(t); ok && entry.Kind == catalog.Twin && entry.Write {
			return true
		}
		if fact := e.importedFact(t.Obj); fact != nil && len(fact.Open) > 0 && writes(t.Name()) {
			return true
		}
	}
	if own := e.bySSA[t.Fn]; t.Fn != nil && own != nil && writes(t.Name()) && e.waitsWriting(own) {
		return true
	}
	return slices.ContainsFunc(e.blockingArgs(t, instr), func(b blockingArg) bool { return b.sink.Write })
}

// waitsWriting reports whether f itself has a call that waits for something to
// be written.
func (e *engine) waitsWriting(f *function) bool {
	for _, cs := range f.calls {
		for _, t := range cs.targets {
			if slices.ContainsFunc(e.blockingArgs(t, cs.instr), func(b blockingArg) bool { return b.sink.Write }) {
				return true
			}
		}
	}
	return false
}
