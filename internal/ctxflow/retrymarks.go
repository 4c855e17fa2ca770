package ctxflow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/errflow"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// This file finds errors that are marked as ones to stop at and lose the mark
// on their way to the retry that asks for it, because what wraps them keeps
// their text only.

// loseMarks looks into a function that a layer calls for calls of the package
// whose errors may have one of the layer's marks.
func (e *engine) loseMarks(l *layer, fn ssa.Value) {
	if len(l.stops) == 0 {
		return
	}
	refs, _ := e.calls.Funcs(fn)
	for _, ref := range refs {
		g := e.bySSA[ref.Fn]
		if ref.Fn == nil || g == nil || !returnsError(g.ssa.Signature) || e.inTest(g.pos()) || e.inGenerated(g.pos()) {
			continue
		}
		for _, cs := range g.calls {
			for _, mark := range l.stops {
				if call, ok := cs.instr.(*ssa.Call); ok && e.mayReturnMarked(cs, mark) {
					e.loseMark(l, g, call, mark)
				}
			}
		}
	}
}

// mayReturnMarked reports whether a call is one of a function of the package
// that puts the mark on errors itself.
func (e *engine) mayReturnMarked(cs *callsite, mark string) bool {
	return slices.ContainsFunc(cs.targets, func(t callee.Target) bool {
		h := e.bySSA[t.Fn]
		return t.Fn != nil && h != nil && h.parent == nil && returnsError(h.ssa.Signature) && e.marksIn(h, []string{mark}, 1)
	})
}

// loseMark notes the place where g puts a marked error into words.
func (e *engine) loseMark(l *layer, g *function, call *ssa.Call, mark string) {
	ends, ok := e.errors.Run(errflow.Assumption{Call: call, Err: errflow.Error(retry.Errors(retry.Plain), mark), Others: true}, nil, nil)
	if !ok {
		return
	}
	last := g.ssa.Signature.Results().Len() - 1
	for _, end := range ends {
		if end.Return == nil || len(end.Values) <= last || end.Values[last].Errs != retry.Errors(retry.Opaque) {
			continue
		}
		made, ok := end.Return.Results[last].(*ssa.Call)
		if !ok || !errflow.Words(made) || e.lostMarks[made.Pos()] != nil {
			continue
		}
		inner := callee.Target{}
		if fn := call.Call.StaticCallee(); fn != nil && e.bySSA[fn] != nil {
			inner.Obj = e.bySSA[fn].obj
		}
		v := e.retryVerdict(finding.LostPermanent, g, made.Pos(), Sink{Key: mark, Name: inner.Name(), Known: true})
		v.Retry.Why = "words"
		v.Retry.Layers = []RetryStep{l.step()}
		if e.lostMarks == nil {
			e.lostMarks = map[token.Pos]*Verdict{}
		}
		e.lostMarks[made.Pos()] = v
	}
}
