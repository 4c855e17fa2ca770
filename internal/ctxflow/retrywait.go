package ctxflow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/errflow"
	"github.com/ctxprop/ctxprop/internal/loops"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file watches what happens between the attempts of a retry: whether it
// waits, and whether it asks a context.

// watcher tells what a way round a loop passes, from one attempt to the next.
func (e *engine) watcher(r *retryLoop) errflow.Observer {
	l := r.loop
	return func(instr ssa.Instruction, _ func(ssa.Value) errflow.Value) errflow.Trail {
		if instr == ssa.Instruction(r.work.instr) {
			return 0
		}
		if s, ok := instr.(*ssa.Select); ok {
			if _, stays := e.staysOnDone(s, l); stays {
				return passWait | passDeaf
			}
		}
		return e.passes(instr, 0)
	}
}

// staysOnDone finds the Done case of a select that does nothing but go round
// the loop again, as one does that only breaks out of the select.
func (e *engine) staysOnDone(s *ssa.Select, l *loops.Loop) (token.Pos, bool) {
	for i, st := range s.States {
		if doneOf(st.Chan) != nil && e.goesRound(l, s, i) {
			return st.Pos, true
		}
	}
	return token.NoPos, false
}

// passes says what an instruction does between two attempts.
func (e *engine) passes(instr ssa.Instruction, depth int) errflow.Trail {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		if instr.Op != token.ARROW {
			return 0
		}
		if ctx := doneOf(instr.X); ctx != nil {
			return passWait | e.consults(ctx)
		}
		if isTimer(instr.X.Type()) {
			return passWait | passDeaf
		}
		return passWait | passMaybe
	case *ssa.Select:
		return e.selectPasses(instr)
	case *ssa.Call:
		return e.callPasses(instr, depth)
	}
	return 0
}

// consults tells whose context is looked at.
func (e *engine) consults(ctx ssa.Value) errflow.Trail {
	if e.onlyRoots(ctx, 0) {
		return passAlien
	}
	return passConsult
}

// onlyRoots reports whether a context is certainly made from a root: it is
// fresh, or stored in a field into which the package puts nothing else.
func (e *engine) onlyRoots(ctx ssa.Value, depth int) bool {
	if depth > 3 {
		return false
	}
	os := e.trace.Of(ctx)
	for _, o := range os {
		switch o.Kind {
		case provenance.Fresh:
			if o.Bounded || o.Cancelled {
				return false // somebody ends it
			}
		case provenance.Stored:
			vals, ok := []ssa.Value(nil), false
			if o.Field != nil {
				vals, ok = e.calls.FieldStores(o.Field)
			}
			if !ok || len(vals) == 0 || slices.ContainsFunc(vals, func(v ssa.Value) bool { return !e.onlyRoots(v, depth+1) }) {
				return false
			}
		case provenance.Param:
			if !e.givenRoots(o, depth) {
				return false
			}
		default:
			return false
		}
	}
	return len(os) > 0
}

// givenRoots reports whether all callers of an unexported function pass roots.
func (e *engine) givenRoots(o provenance.Origin, depth int) bool {
	f := e.bySSA[o.Fn]
	if f == nil || f.obj == nil || f.obj.Exported() || len(f.in) == 0 {
		return false
	}
	for _, in := range f.in {
		if in.handed || o.Index >= len(in.target.Args) || !e.onlyRoots(in.target.Args[o.Index], depth+1) {
			return false
		}
	}
	return true
}

func (e *engine) selectPasses(s *ssa.Select) errflow.Trail {
	var t errflow.Trail
	timer := false
	for _, st := range s.States {
		switch ctx := doneOf(st.Chan); {
		case ctx != nil:
			t |= e.consults(ctx)
		case isTimer(st.Chan.Type()):
			timer = true
		default:
			t |= passConsult // whoever sends there can end it
		}
	}
	if s.Blocking {
		t |= passWait
		if timer && t&(passConsult|passAlien) == 0 {
			t |= passDeaf
		}
	}
	return t
}

// waitVerbs begin, or are part of, the names of functions that let time pass.
var waitVerbs = []string{"wait", "sleep", "backoff", "delay", "pause", "throttle", "limit", "jitter", "tick", "block"}

func soundsLikeWaiting(name string) bool {
	name = strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	return slices.ContainsFunc(waitVerbs, func(v string) bool { return strings.Contains(name, v) })
}

func (e *engine) callPasses(c *ssa.Call, depth int) errflow.Trail {
	if onlyWaitedFor(c) {
		return 0 // the wait says what comes of it
	}
	for _, method := range []string{"Err", "Done"} {
		if ctx := contextMethod(c, method); ctx != nil {
			return e.consults(ctx)
		}
	}
	if _, builtin := c.Call.Value.(*ssa.Builtin); builtin {
		return 0
	}
	var t errflow.Trail
	for _, target := range e.calls.Targets(&c.Call) {
		t |= e.targetPasses(target, c, depth)
	}
	return t
}

func (e *engine) targetPasses(t callee.Target, c *ssa.Call, depth int) errflow.Trail {
	if t.Fn != nil && t.Fn.Blocks != nil {
		if depth >= 3 {
			return passMaybe
		}
		var out errflow.Trail
		for _, b := range t.Fn.Blocks {
			for _, instr := range b.Instrs {
				out |= e.passes(instr, depth+1)
			}
		}
		return out
	}
	name := t.Name()
	sleeps := t.Obj != nil && t.Obj.Name() == "Sleep" && len(t.Args) > 0 && isDuration(t.Args[len(t.Args)-1].Type())
	takesContext := slices.ContainsFunc(t.Args, func(a ssa.Value) bool { return provenance.IsContext(a.Type()) })
	switch {
	case sleeps && !takesContext:
		return passWait | passDeaf
	case takesContext && soundsLikeWaiting(name):
		return passWait | passConsult
	case takesContext && returnsNothing(t.Sig):
		return 0 // a log or a metric
	case soundsLikeWaiting(name):
		return passWait
	case t.Obj == nil && takesContext:
		return passMaybe | passConsult
	case t.Obj == nil:
		return passMaybe
	}
	entry, ok := e.lookup(t)
	switch {
	case ok && slices.Contains(onlyPassesOn, entry.Kind):
		return 0
	case takesContext:
		return passMaybe | passConsult
	case ok && (entry.Kind == catalog.Block || entry.Kind == catalog.Wait || entry.Kind == catalog.Twin):
		return passMaybe
	case t.Invoked && t.Sig != nil && returnsError(t.Sig):
		return passMaybe
	}
	return 0
}

// onlyPassesOn lists what a function does with a context without asking it: to
// derive another, to put it in a request, to log.
var onlyPassesOn = []catalog.Kind{catalog.Derive, catalog.Carry, catalog.Quiet}

// onlyWaitedFor reports whether nothing but selects and receives has what a
// call of Done returns.
func onlyWaitedFor(c *ssa.Call) bool {
	if contextMethod(c, "Done") == nil {
		return false
	}
	for _, ref := range *c.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Select, *ssa.DebugRef:
		case *ssa.UnOp:
			if ref.Op != token.ARROW {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func isDuration(t types.Type) bool {
	n := callee.Named(t)
	return n != nil && n.Obj().Name() == "Duration" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time"
}
