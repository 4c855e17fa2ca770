package ctxflow

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file finds outgoing calls that nothing ever ends (CTX206): on a context
// that provably has no deadline, by a client that provably has no timeout.
// Provable is what one command shows: package main has all callers of its
// functions. Of the clients only net/http's tell whether they have a timeout;
// for the others a driver, an interceptor or a service config may set one.

// findNoDeadline reports such calls.
func (e *engine) findNoDeadline() {
	if e.pass.Pkg.Name() != "main" || e.testSupport {
		return
	}
	ordinals := map[[2]string]int{}
	for _, f := range e.funcs {
		if e.reached[f] || e.inTest(f.pos()) || e.inGenerated(f.pos()) {
			continue
		}
		for _, cs := range f.calls {
			sink, ok := e.callsWithoutEnd(f, cs)
			if !ok {
				continue
			}
			k := [2]string{f.key(), sink.Key}
			ordinals[k]++
			if e.hasVerdictAt(f, cs) || e.allowed(cs.instr.Pos(), finding.NoDeadline, cs.instr.Pos()) {
				continue
			}
			v := e.lapseVerdict(&lapse{code: finding.NoDeadline, home: f, at: cs.instr, pos: cs.instr.Pos(), sink: sink, ordinal: ordinals[k] - 1})
			v.Grade = finding.GradeContract
			e.verdicts = append(e.verdicts, v)
		}
	}
}

// hasVerdictAt reports whether the call has a verdict of its own, or is one
// that a caller's context should reach.
func (e *engine) hasVerdictAt(f *function, cs *callsite) bool {
	at := func(v *Verdict) bool { return v.SinkPos == cs.instr.Pos() }
	if slices.ContainsFunc(e.verdicts, at) {
		return true
	}
	for _, v := range e.closed {
		if v.Home == f.key() {
			return true
		}
	}
	return false
}

// callsWithoutEnd reports whether a call sends a request that has no deadline
// by a client that has no timeout.
func (e *engine) callsWithoutEnd(f *function, cs *callsite) (Sink, bool) {
	if _, plain := cs.instr.(*ssa.Call); !plain || len(cs.targets) != 1 || cs.targets[0].Obj == nil {
		return Sink{}, false
	}
	t := cs.targets[0]
	entry, ok := e.lookup(t)
	if !ok || t.Obj.Pkg().Path() != "net/http" || entry.Class != catalog.HTTP {
		return Sink{}, false
	}
	sink := Sink{Key: t.Obj.FullName(), Name: callee.ShortName(t.Obj), Class: string(entry.Class), Known: true}
	if t.RecvShift() == 1 && !withoutTimeout(t.Args[0]) {
		return Sink{}, false
	}
	switch {
	case entry.Kind == catalog.Twin:
		return sink, true
	case entry.Kind == catalog.Block && strings.HasSuffix(sink.Key, "Client).Do"):
		return sink, e.endlessContext(f, provenance.ContextArg(&entry, t), 0)
	}
	return Sink{}, false
}

// maxCallers bounds how far a context is followed to those who pass it.
const maxCallers = 6

// endlessContext reports whether a context comes from nothing but roots that
// were given no deadline, also by way of all callers of f.
func (e *engine) endlessContext(f *function, ctx ssa.Value, depth int) bool {
	if ctx == nil || depth > maxCallers {
		return false
	}
	os := e.trace.Of(ctx)
	for _, o := range os {
		switch {
		case o.Bounded || o.Maybe:
			return false
		case o.Kind == provenance.Fresh, o.Kind == provenance.Absent:
		case o.Kind == provenance.Param:
			owner := e.bySSA[o.Fn]
			if owner == nil || owner.parent != nil || len(owner.in) == 0 || !provenance.IsContext(o.Fn.Params[o.Index].Type()) {
				return false
			}
			for _, in := range owner.in {
				if in.handed || o.Index >= len(in.target.Args) || !e.endlessContext(in.from, in.target.Args[o.Index], depth+1) {
					return false
				}
			}
		default:
			return false
		}
	}
	return len(os) > 0
}

// withoutTimeout reports whether an *http.Client is the default one, or a
// literal made here that sets neither a timeout nor a transport of its own.
func withoutTimeout(client ssa.Value) bool {
	if load, ok := client.(*ssa.UnOp); ok {
		g, ok := load.X.(*ssa.Global)
		return ok && g.Name() == "DefaultClient" && g.Pkg.Pkg.Path() == "net/http"
	}
	a, ok := client.(*ssa.Alloc)
	if !ok {
		return false
	}
	for _, ref := range *a.Referrers() {
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			if name := fieldName(a.Type(), ref.Field); name == "Timeout" || name == "Transport" {
				return false
			}
		case *ssa.Call, *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}
