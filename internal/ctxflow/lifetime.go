package ctxflow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file judges contexts by how long they live, against the work that is
// done on them: work that nobody waits for and nothing ends (CTX103), work on
// a context that belongs to somebody else (CTX104), work that goes on after
// its request (CTX105), work on a context that has ended (CTX107).

// lifetimes applies these rules to one origin of one blocking call.
func (e *engine) lifetimes(s lossSite) {
	if s.o.Maybe || e.inTest(s.cs.instr.Pos()) || e.inGenerated(s.cs.instr.Pos()) || e.testSupport || s.f.helpsTests() {
		return
	}
	if sp, ok := e.spawnOf(s.f, s.cs); ok {
		e.judgeSpawn(s, sp)
		return
	}
	switch {
	case e.isDone(s):
		e.reportLifetime(s, finding.DoneContext, s.f, s.cs.instr.Pos())
	case s.o.Kind == provenance.Stored && e.isLifecycle(s):
		e.reportLifetime(s, finding.WrongContext, s.f, s.cs.instr.Pos())
	case e.besideGroup(s):
		e.reportLifetime(s, finding.WrongContext, s.f, s.cs.instr.Pos())
	case s.o.Deaf:
		e.deafUse(s)
	}
}

// reportLifetime reports a site: by is the function on whose behalf the work
// was started.
func (e *engine) reportLifetime(s lossSite, code finding.Code, by *function, pos token.Pos) {
	switch v, quiet := e.lifetimeVerdict(s, code, by, pos); {
	case v == nil:
	case quiet:
		e.lift(v, by)
	default:
		e.verdicts = append(e.verdicts, v)
	}
}

// lifetimeVerdict makes the verdict, or nil. quiet says that it holds only if a
// request reaches the function.
func (e *engine) lifetimeVerdict(s lossSite, code finding.Code, by *function, pos token.Pos) (v *Verdict, quiet bool) {
	hand := e.atHand(by)
	grade := e.gradeAt(by)
	// Start-up has contexts of its own; to shut down on one that is done is a
	// fault there as well.
	startUp := grade == finding.GradeContract && StartUp(by.name()) && code != finding.DoneContext
	if len(hand) == 0 || startUp {
		return nil, false
	}
	key := lifetimeKey{code, pos}
	inGroup := code == finding.WrongContext && s.o.Kind == provenance.Param && !s.o.Deaf
	if code == finding.WrongContext && !inGroup {
		key.pos = by.named.pos() // all uses in a function have one cause
	}
	if e.allowed(s.cs.instr.Pos(), code, pos) || e.lifetimeSeen[key] {
		return nil, false
	}
	e.lifetimeSeen[key] = true
	v = &Verdict{Code: code, Grade: grade, InGroup: inGroup}
	v.fill(e, &loss{home: by, o: s.o, sink: s.sink, site: s.cs, pos: pos})
	v.setHand(hand)
	if root, ok := s.o.Site.(*ssa.Call); ok && code == finding.UnboundedDetach && e.around(s.f, root.Parent()) {
		v.RootCall = root.Pos()
		v.FixSafe = !(s.sink.Write && e.writesBefore(s.f, s.cs.instr.Pos()))
	}
	rule, quiet := e.unheeded(grade, hand, false)
	if quiet {
		e.note(pos, rule)
	}
	return v, quiet
}

type lifetimeKey struct {
	code finding.Code
	pos  token.Pos
}

// isDone reports whether the site's context is known to have ended: it is the
// one whose Done was received, that of an errgroup after its Wait, or one that
// the function has cancelled. Shutdown and cleanup on it fail at once. What is
// told of an end, an error handler or a log, may well be given it, so the
// callee must be known to block or be named after cleanup.
func (e *engine) isDone(s lossSite) bool {
	if !s.sink.Known && !StartUp(s.sink.Name) && !writes(s.sink.Name) && !isRelease(s.cs) || s.sink.Local {
		return false
	}
	var arg ssa.Value
	for _, t := range s.cs.targets {
		for _, b := range e.blockingArgs(t, s.cs.instr) {
			arg = b.arg
		}
	}
	if arg == nil {
		return false
	}
	if group := groupOf(arg, 0); group != nil && waitedBefore(group, s.cs.instr) {
		return true
	}
	if s.o.Kind != provenance.Fresh && e.cancelledBefore(s.f, arg, s.cs.instr) {
		return true
	}
	if s.o.Kind != provenance.Param && s.o.Kind != provenance.Stored {
		return false
	}
	return e.endedBefore(arg, s.cs.instr)
}

// endedBefore reports whether every way to the instruction has found the
// context, or one that it is derived from, to be done.
func (e *engine) endedBefore(arg ssa.Value, at ssa.Instruction) bool {
	same := func(ctx ssa.Value) bool { return ctx != nil && derivesFrom(arg, ctx, 0) }
	for _, instr := range at.Block().Instrs {
		if instr == at {
			break
		}
		if u, ok := instr.(*ssa.UnOp); ok && u.Op == token.ARROW && same(doneOf(u.X)) {
			return true
		}
	}
	for b := at.Block(); b != nil; b = b.Idom() {
		if b != at.Block() {
			for _, instr := range b.Instrs {
				if u, ok := instr.(*ssa.UnOp); ok && u.Op == token.ARROW && same(doneOf(u.X)) {
					return true
				}
			}
		}
		if len(b.Preds) == 1 && same(foundDone(b.Preds[0], b)) {
			return true
		}
	}
	return false
}

// foundDone is the context that the branch from b to succ has found done, or nil.
func foundDone(b, succ *ssa.BasicBlock) ssa.Value {
	if !saysDone(b, succ) {
		return nil
	}
	cmp := b.Instrs[len(b.Instrs)-1].(*ssa.If).Cond.(*ssa.BinOp)
	if ctx := contextMethod(cmp.X, "Err"); ctx != nil {
		return ctx
	}
	s := cmp.X.(*ssa.Extract).Tuple.(*ssa.Select)
	for i, st := range s.States {
		if isIndex(cmp.Y, i) {
			return doneOf(st.Chan)
		}
	}
	return nil
}

// derivesFrom reports whether ctx was made from base, by calls that take it
// and return a context; WithoutCancel breaks the line.
func derivesFrom(ctx, base ssa.Value, depth int) bool {
	if ctx == base {
		return true
	}
	if depth > 6 {
		return false
	}
	switch v := ctx.(type) {
	case *ssa.Extract:
		return derivesFrom(v.Tuple, base, depth+1)
	case *ssa.ChangeInterface:
		return derivesFrom(v.X, base, depth+1)
	case *ssa.UnOp: // two reads of the same variable
		w, ok := base.(*ssa.UnOp)
		return ok && v.Op == token.MUL && w.Op == token.MUL && placeOf(v) == placeOf(w)
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); fn != nil && fn.Name() == "WithoutCancel" {
			return false
		}
		for _, a := range v.Call.Args {
			if provenance.IsContext(a.Type()) && derivesFrom(a, base, depth+1) {
				return true
			}
		}
	}
	return false
}

// isLifecycle reports whether a stored context is that of a long-lived
// receiver, used where the function has a caller's context of its own: every
// store in the package puts a root there, or the context of a function that
// no request reaches. A context that may be a request's is left alone.
func (e *engine) isLifecycle(s lossSite) bool {
	if len(s.f.carriers) == 0 || s.o.Field == nil || e.modeOf(s.f, s.cs) != runsHere {
		return false
	}
	if _, quiet := e.silent(&passage{s.f, s.cs, runsHere, s.o}); quiet {
		return false
	}
	vals, ok := e.calls.FieldStores(s.o.Field)
	if !ok || len(vals) == 0 {
		return false
	}
	for _, v := range vals {
		for _, o := range e.trace.Of(v) {
			owner := e.bySSA[o.Fn]
			lives := o.Kind == provenance.Fresh || o.Kind == provenance.Param && owner != nil && !e.reached[owner] && StartUp(owner.name())
			if !lives {
				return false
			}
		}
	}
	return true
}
