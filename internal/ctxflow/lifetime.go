package ctxflow

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/loops"
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

// spawn is a go statement that starts work which its function does not await.
type spawn struct {
	by   *function
	at   *ssa.Go
	body *function // what runs, if it is in this package
}

// spawnOf finds the go statement by which a site runs apart from a function
// with a context at hand: its own, or that of the closure that it is in.
func (e *engine) spawnOf(f *function, cs *callsite) (spawn, bool) {
	if g, ok := cs.instr.(*ssa.Go); ok {
		return spawn{by: e.starter(f), at: g, body: e.bySSA[cs.targets[0].Fn]}, e.modeOf(f, cs) == runsApart
	}
	for ; f.parent != nil; f = f.parent {
		if len(f.in) != 1 || !f.inside(f.in[0].from) {
			return spawn{}, false
		}
		in := f.in[0]
		if g, ok := in.site.instr.(*ssa.Go); ok && !in.handed {
			return spawn{by: e.starter(in.from), at: g, body: f}, in.mode == runsApart
		}
		if !e.onBehalf(in.mode) {
			return spawn{}, false
		}
	}
	return spawn{}, false
}

// starter is the function on whose behalf a go statement in f starts work: f,
// or if f is a goroutine's own closure without a context, the function around.
func (e *engine) starter(f *function) *function {
	for len(e.atHand(f)) == 0 && len(f.in) == 1 && f.inside(f.in[0].from) {
		f = f.in[0].from
	}
	return f
}

// judgeSpawn applies CTX103 and CTX105 to work that a go statement starts.
//
// Both are silent where the function has anything to do with the goroutine
// afterwards: if it hears from it, or stays in a wait or a loop of its own, as
// the handler of a stream or a websocket does, then the goroutine is meant to
// end with it.
func (e *engine) judgeSpawn(s lossSite, sp spawn) {
	if e.hearsFrom(sp) || e.staysAfter(sp) || s.o.Cancelled {
		return
	}
	switch s.o.Kind {
	case provenance.Param:
		owner := e.bySSA[s.o.Fn]
		if !s.o.Bounded && !s.o.Deaf && owner != nil && e.around(sp.by, s.o.Fn) && e.gradeAt(sp.by) == finding.GradeRequest {
			e.reportLifetime(s, finding.ContextOutlived, sp.by, sp.at.Pos())
		}
	case provenance.Fresh, provenance.Detached:
		if !s.o.Bounded && !e.isWorker(s, sp) && !endsElsewhere(s) && !e.cleansUp(s) {
			e.reportLifetime(s, finding.UnboundedDetach, sp.by, sp.at.Pos())
		}
	}
}

// judgeStart applies CTX103 to a go statement that starts a function which
// makes a root of its own, here or in a package below.
func (e *engine) judgeStart(in *edge, o *openAt) {
	at, ok := in.site.instr.(*ssa.Go)
	if !ok || o.fact.Code != finding.SeveredCallee || in.handed || o.fact.Bounded || o.fact.Owned || len(e.atHand(in.from)) == 0 {
		return
	}
	s := lossSite{in.from, in.site, o.fact.Sink, provenance.Origin{Kind: provenance.Fresh, Root: o.fact.Root}}
	if o.loss != nil {
		s.f, s.cs, s.o = o.loss.home, o.loss.site, o.loss.o
	}
	sp := spawn{by: in.from, at: at, body: in.to}
	if e.testSupport || e.inTest(at.Pos()) || e.inGenerated(at.Pos()) || sp.by.helpsTests() ||
		StartUp(o.fact.Chain...) || e.hearsFrom(sp) || e.staysAfter(sp) || e.isWorker(s, sp) || endsElsewhere(s) || e.cleansUp(s) {
		return
	}
	e.reportLifetime(s, finding.UnboundedDetach, sp.by, at.Pos())
}

// cleansUp reports whether the work only releases something, which may take its
// time: see RuleRelease.
func (e *engine) cleansUp(s lossSite) bool { return isRelease(s.cs) && !usesResult(s.cs.instr) }

// endsElsewhere reports whether the work may have an end that its context does
// not show: a client of net/http has a timeout of its own, and who waits for a
// command has started it before.
func endsElsewhere(s lossSite) bool {
	if s.sink.Key == "(*os/exec.Cmd).Wait" {
		return true
	}
	if !strings.HasPrefix(s.sink.Key, "(*net/http.Client).") {
		return false
	}
	for _, t := range s.cs.targets {
		if t.RecvShift() == 1 && len(t.Args) > 0 {
			if g, ok := placeOf(t.Args[0]).root.(*ssa.Global); ok && g.Pkg.Pkg.Path() == "net/http" {
				return false // http.DefaultClient has none
			}
		}
	}
	return true
}

// hearsFrom reports whether the spawning function, or one around it, receives
// what the goroutine signals, in whatever way.
func (e *engine) hearsFrom(sp spawn) bool {
	if sp.body == nil {
		return false
	}
	for _, signal := range e.signals(sp.body) {
		for around := sp.by; around != nil; around = around.parent {
			if e.receives(around, signal) {
				return true
			}
		}
	}
	return false
}

func (e *engine) receives(f *function, p place) bool {
	if e.waitsFor(f, p) {
		return true
	}
	for _, b := range f.ssa.Blocks {
		for _, instr := range b.Instrs {
			s, ok := instr.(*ssa.Select)
			if !ok {
				continue
			}
			for _, st := range s.States {
				if placeOf(st.Chan) == p {
					return true
				}
			}
		}
	}
	return false
}

// staysAfter reports whether the spawning function, after the go statement,
// waits for something or loops over blocking work.
func (e *engine) staysAfter(sp spawn) bool {
	after := closure(sp.at.Block(), func(b *ssa.BasicBlock) []*ssa.BasicBlock { return b.Succs })
	after[sp.at.Block()] = true
	for b := range after {
		if waitsIn(b) {
			return true
		}
	}
	for _, cs := range sp.by.calls {
		b := cs.instr.Block()
		if _, spawned := cs.instr.(*ssa.Go); spawned || !after[b] || b == sp.at.Block() {
			continue
		}
		if e.blocksAt(cs) && loopAround(b) != nil && !loopAround(b)[sp.at.Block()] {
			return true
		}
	}
	return false
}

func (e *engine) blocksAt(cs *callsite) bool {
	for _, t := range cs.targets {
		if len(e.blockingArgs(t, cs.instr)) > 0 {
			return true
		}
		if t.Obj != nil {
			if entry, ok := e.lookup(t); ok && (entry.Kind == catalog.Wait || entry.Kind == catalog.Block) {
				return true
			}
		}
	}
	return false
}

// isWorker reports whether the goroutine looks like a worker or server, which
// has the life of the process: it loops, it waits for something to happen, or
// it is named after what they do.
func (e *engine) isWorker(s lossSite, sp spawn) bool {
	if goesOn(s.cs.instr) || sp.body != nil && (waits(sp.body.ssa) || hasEndlessLoop(sp.body.ssa)) {
		return true
	}
	for _, t := range s.cs.targets {
		if StartUp(t.Name()) || t.Fn != nil && hasEndlessLoop(t.Fn) {
			return true
		}
	}
	return false
}

// isWork reports whether a function does what a call of it does for as long as
// the process lives, or waits for something to happen first.
func doesOnAndOn(f *function, site *callsite) bool {
	return goesOn(site.instr) || hasEndlessLoop(f.ssa) || waits(f.ssa)
}

// goesOn reports whether an instruction is in a loop that has no end of its
// own.
func goesOn(instr ssa.Instruction) bool {
	for _, l := range loops.Of(instr.Parent()) {
		if l.Contains(instr.Block()) && !ends(l) {
			return true
		}
	}
	return false
}

// hasEndlessLoop reports whether a function has such a loop. One that reads the
// rows of a result ends with them.
func hasEndlessLoop(fn *ssa.Function) bool {
	return slices.ContainsFunc(loops.Of(fn), func(l *loops.Loop) bool { return !ends(l) && !readsRows(l) })
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
			if c, ok := branch.Cond.(*ssa.Call); ok && calledName(&c.Call) == "Next" {
				return true
			}
		}
	}
	return false
}

func calledName(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.Name()
	}
	if fn := c.StaticCallee(); fn != nil {
		return fn.Name()
	}
	return ""
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

// groupOf is the call of errgroup.WithContext that made the context, or nil.
func groupOf(ctx ssa.Value, depth int) *ssa.Call {
	if depth > 6 {
		return nil
	}
	switch v := placeOf(ctx).root.(type) { // a captured context is read from a variable
	case *ssa.Extract:
		if c, ok := v.Tuple.(*ssa.Call); ok {
			if fn := c.Call.StaticCallee(); fn != nil && fn.Name() == "WithContext" && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "golang.org/x/sync/errgroup" {
				return c
			}
			return groupOf(c, depth+1)
		}
	case *ssa.Call:
		for _, a := range v.Call.Args {
			if provenance.IsContext(a.Type()) {
				return groupOf(a, depth+1)
			}
		}
	}
	return nil
}

// besideGroup reports whether a member of an errgroup waits on a context that
// the function has besides the group's, which a member's failure does not end.
// A group whose context is blank is not meant to end its members.
func (e *engine) besideGroup(s lossSite) bool {
	if s.o.Kind != provenance.Param || e.modeOf(s.f, s.cs) != runsHere {
		return false
	}
	f := s.f
	for ; f.parent != nil; f = f.parent {
		if len(f.in) != 1 || f.in[0].mode == runsDeferred || !f.inside(f.in[0].from) {
			return false
		}
		if f.in[0].handed && isMethod(f.in[0].site.instr.Common(), "golang.org/x/sync/errgroup", "Group", "Go") {
			break
		}
	}
	if f.parent == nil || !e.around(f.parent, s.o.Fn) {
		return false
	}
	ex, ok := placeOf(f.in[0].site.instr.Common().Args[0]).root.(*ssa.Extract)
	if !ok {
		return false
	}
	group, ok := ex.Tuple.(*ssa.Call)
	if !ok || !keepsContext(group) {
		return false
	}
	for _, t := range s.cs.targets {
		for _, b := range e.blockingArgs(t, s.cs.instr) {
			if !mayBeGroups(b.arg, 0) {
				return true
			}
		}
	}
	return false
}

// mayBeGroups reports whether the context is an errgroup's or derived from one,
// or is held by a variable that such a one is put into.
func mayBeGroups(ctx ssa.Value, depth int) bool {
	if depth > 6 {
		return true
	}
	switch v := placeOf(ctx).root.(type) {
	case *ssa.Alloc:
		vals, ok := callee.StoredIn(v)
		return !ok || slices.ContainsFunc(vals, func(val ssa.Value) bool { return mayBeGroups(val, depth+1) })
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(val ssa.Value) bool { return mayBeGroups(val, depth+1) })
	case *ssa.Extract:
		c, ok := v.Tuple.(*ssa.Call)
		return ok && (groupOf(v, 0) != nil || slices.ContainsFunc(c.Call.Args, func(arg ssa.Value) bool {
			return provenance.IsContext(arg.Type()) && mayBeGroups(arg, depth+1)
		}))
	case *ssa.Call:
		return slices.ContainsFunc(v.Call.Args, func(arg ssa.Value) bool {
			return provenance.IsContext(arg.Type()) && mayBeGroups(arg, depth+1)
		})
	}
	return false
}

// keepsContext reports whether the context that errgroup.WithContext returns
// has a name.
func keepsContext(group *ssa.Call) bool {
	for _, ref := range *group.Referrers() {
		if ex, ok := ref.(*ssa.Extract); ok && ex.Index == 1 && len(*ex.Referrers()) > 0 {
			return true
		}
	}
	return false
}

// waitedBefore reports whether the group's Wait was called on every way to
// the instruction.
func waitedBefore(group *ssa.Call, at ssa.Instruction) bool {
	for _, b := range at.Parent().Blocks {
		if !b.Dominates(at.Block()) {
			continue
		}
		for _, instr := range b.Instrs {
			if instr == at {
				break
			}
			c, ok := instr.(*ssa.Call)
			if !ok || !isMethod(&c.Call, "golang.org/x/sync/errgroup", "Group", "Wait") {
				continue
			}
			if ex, ok := placeOf(c.Call.Args[0]).root.(*ssa.Extract); ok && ex.Tuple == group {
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
