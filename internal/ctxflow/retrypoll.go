package ctxflow

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/errflow"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// This file tells retries from polls where a library asks again until a
// condition holds. The error that the condition returns ends that, so that a
// call is tried again only if the condition keeps its error to itself.

// pollPaths are the paths through a condition that a library asks again.
func (e *engine) pollPaths(f *function, cs *callsite, p *retry.LibraryPolicy, cond ssa.Value) []*retryPath {
	l := e.policyLayer(f, cs, p)
	l.gives = way{Mapping: retry.Flattened} // what it gives up with is an error of its own
	many := l.count.value().Worst() > 1
	refs, _ := e.calls.Funcs(cond)
	var out []*retryPath
	for _, ref := range refs {
		g := e.bySSA[ref.Fn]
		if ref.Fn == nil || g == nil {
			continue
		}
		for _, at := range g.calls {
			call, ok := at.instr.(*ssa.Call)
			if !ok || e.modeOf(g, at) != runsHere {
				continue
			}
			kept := many && e.keepsError(g, call)
			for _, q := range e.pathsAt(g, at) {
				q.via = at.instr.Pos()
				if up, ok := q.under(l); ok && kept {
					if len(q.layers) > 0 {
						e.addNest(f, at, up, 1)
					}
					out = append(out, up)
					continue
				}
				out = append(out, q.returned(e.wayOut(g, at)))
			}
		}
	}
	return keepLargest(out)
}

// keepsError reports whether a condition, when the call fails, says no more than
// that it does not hold yet.
func (e *engine) keepsError(g *function, call *ssa.Call) bool {
	if _, ok := errflow.ErrorOf(call); !ok || g.ssa.Signature.Results().Len() != 2 {
		return false
	}
	a := errflow.Assumption{Call: call, Err: errflow.Error(retry.Errors(retry.Unavailable)), Others: true}
	ends, ok := e.errors.Run(a, nil, nil)
	if !ok || len(ends) == 0 {
		return false
	}
	for _, end := range ends {
		if end.Return == nil || len(end.Values) != 2 {
			return false
		}
		if done, err := end.Values[0], end.Values[1]; done.Must(true) || err.Errs != retry.Errors(retry.OK) || !err.IsError() {
			return false
		}
	}
	return true
}
