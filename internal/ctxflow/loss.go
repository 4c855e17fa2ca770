package ctxflow

import (
	"cmp"
	"go/token"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// loss is one fresh context that reaches blocking work, with its home.
type loss struct {
	home    *function // where the root is made; a closure's own function
	o       provenance.Origin
	pos     token.Pos // of the root, or of the sink's call if the root is a global
	root    *ssa.Call // the root's call if it is in home or around it, else nil
	sink    Sink
	site    *callsite
	ordinal int
	// unsafeWrite: the sink changes state and another write comes before it,
	// so that a cancellation between them would leave half of both.
	unsafeWrite bool
}

// openAt is an open loss as it stands in one function on its way up.
type openAt struct {
	fact  OpenLoss
	local *Verdict // the home's own view; nil if that is in another package
	loss  *loss    // what it is about, if that is a fresh context in this package
}

// lossSite is a site before it is grouped into a loss.
type lossSite struct {
	f    *function
	cs   *callsite
	sink Sink
	o    provenance.Origin
}

// findLosses evaluates every blocking argument of every call.
func (e *engine) findLosses() []*loss {
	groups := map[lossKey]*loss{}
	var order []*loss
	for _, f := range e.funcs {
		e.current = f
		for _, cs := range f.calls {
			for _, t := range cs.targets {
				for _, b := range e.blockingArgs(t, cs.instr) {
					os := e.trace.Of(b.arg)
					e.addSite(f, cs, b.sink, os)
					for _, o := range os {
						e.lifetimes(lossSite{f, cs, b.sink, o})
						if o.Kind != provenance.Fresh {
							continue
						}
						if l := e.lossAt(lossSite{f, cs, b.sink, o}, groups); l != nil {
							order = append(order, l)
						}
					}
				}
			}
		}
	}
	order = slices.DeleteFunc(order, e.survives)
	slices.SortStableFunc(order, func(a, b *loss) int { return cmp.Compare(a.pos, b.pos) })
	number(order)
	return order
}

// lossKey groups the sinks of one root in one home: the first is reported.
type lossKey struct {
	home *function
	pos  token.Pos
}

// lossAt applies the rules of silence to a site and returns its loss if it is
// the first of its root.
func (e *engine) lossAt(s lossSite, groups map[lossKey]*loss) *loss {
	m := e.modeOf(s.f, s.cs)
	_, spawned := e.spawnOf(s.f, s.cs) // judged as such, whatever context its closure takes
	if (m == runsApart || spawned) && !e.cfg.without[RuleApart] {
		e.spare(s, RuleApart)
		return nil
	}
	if rule, ok := e.silent(&passage{s.f, s.cs, m, s.o}); ok {
		e.spare(s, rule)
		return nil
	}
	if s.o.Helper != nil && s.o.Helper.HadContext {
		e.closeUnderived(s)
		return nil
	}
	l := &loss{home: s.f, o: s.o, sink: s.sink, site: s.cs, pos: s.cs.instr.Pos()}
	if root, ok := s.o.Site.(*ssa.Call); ok && e.around(s.f, root.Parent()) {
		l.root, l.pos = root, root.Pos()
	}
	l.unsafeWrite = s.sink.Write && e.writesBefore(s.f, s.cs.instr.Pos())
	key := lossKey{s.f.named, l.pos}
	if first := groups[key]; first != nil {
		first.unsafeWrite = first.unsafeWrite || l.unsafeWrite
		return nil
	}
	groups[key] = l
	return l
}

// spare notes that a rule of silence applies to one use of a root, which
// rules out a fix of the root for its other uses.
func (e *engine) spare(s lossSite, rule Rule) {
	e.note(s.cs.instr.Pos(), rule)
	if root, ok := s.o.Site.(*ssa.Call); ok {
		e.mixed[root] = true
		e.survivor[root] = e.survivor[root] || s.o.Bounded && (rule == RuleRelease || rule == RuleAfterDone)
	}
}

// survives reports whether a root with a deadline of its own was made for work
// that must be done though the context at hand has ended, as another use of it
// shows: the state is saved whether the work before has failed or not.
func (e *engine) survives(l *loss) bool {
	if l.root == nil || !e.survivor[l.root] {
		return false
	}
	e.note(l.site.instr.Pos(), RuleRelease)
	return true
}

// around reports whether fn is f or encloses it.
func (e *engine) around(f *function, fn *ssa.Function) bool {
	for ; f != nil; f = f.parent {
		if f.ssa == fn {
			return true
		}
	}
	return false
}

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

// number gives equal losses of one home their ordinals, in source order.
func number(losses []*loss) {
	next := map[[2]string]int{}
	for _, l := range losses {
		k := [2]string{l.home.key(), l.sink.Key}
		l.ordinal = next[k]
		next[k]++
	}
}

// classify sorts the losses: own ones are reported where they are, twins are
// dropped, open ones start their way up.
func (e *engine) classify(losses []*loss) {
	open := map[openHome][]*loss{}
	var order []openHome
	for _, l := range losses {
		hand := e.atHand(l.home)
		switch {
		case len(hand) > 0:
			e.reportOwn(l, hand)
		case e.allowed(l.site.instr.Pos(), finding.SeveredCallee, l.pos):
		case e.isTwin(l.home):
			e.note(l.site.instr.Pos(), RuleTwin)
		default:
			k := openHome{l.home, l.home.key()}
			if l.home.parent == nil || e.runsForNamed(l.home) {
				k.f = l.home.named
			}
			if open[k] == nil {
				order = append(order, k)
			}
			open[k] = append(open[k], l)
		}
	}
	for _, k := range order {
		e.openUp(open[k])
	}
}

// openHome groups open losses: all those of a function have one cause, that
// it is given no context.
type openHome struct {
	f   *function
	key string
}

// runsForNamed reports whether a closure runs as part of the function around it.
func (e *engine) runsForNamed(f *function) bool {
	for ; f.parent != nil; f = f.parent {
		if !e.onBehalf(e.modeWithin(f)) {
			return false
		}
	}
	return true
}

// openUp starts the losses of one home on their way, the first standing for all.
func (e *engine) openUp(ls []*loss) {
	l := ls[0]
	fact := e.openFact(l)
	fact.More = len(ls) - 1
	for _, l := range ls {
		fact.Owned = fact.Owned || l.o.Cancelled || e.doesOnAndOn(l.home, l.site)
	}
	v := &Verdict{Code: finding.SeveredCallee, Open: fact, Local: true}
	v.fill(e, l)
	for _, other := range ls[1:] {
		v.More = append(v.More, other.pos)
	}
	e.openLosses = append(e.openLosses, v)
	e.propagate(l.home, &openAt{fact: fact, local: v, loss: l})
}

func (e *engine) isTwin(f *function) bool {
	return !e.cfg.without[RuleTwin] && f.named.obj != nil && hasTwin(f.named.obj)
}

func (e *engine) reportOwn(l *loss, hand []carrier) {
	if site := l.site.instr.Pos(); e.allowed(site, finding.FreshContext, l.pos, site) {
		return
	}
	grade := e.gradeAt(l.home)
	v := &Verdict{Code: finding.FreshContext, Grade: grade, Ordinal: l.ordinal}
	v.fill(e, l)
	v.setHand(hand)
	v.FixSafe = (grade == finding.GradeRequest || l.sink.Known) && !l.unsafeWrite && !e.mixed[l.root] &&
		onlyPassedDown(l.root, false) && failing(l.site.instr.Block()) == notFailed
	rule, quiet := e.unheeded(grade, hand, false)
	if !quiet && grade == finding.GradeContract && l.sink.Local && !e.cfg.without[RuleLocalWait] {
		rule, quiet = RuleLocalWait, true
	}
	if quiet {
		e.note(l.site.instr.Pos(), rule)
		e.lift(v, l.home)
		return
	}
	e.verdicts = append(e.verdicts, v)
}

// lift leaves a verdict to the program's view, which may find that a request
// reaches its home, unless the silence holds then as well.
func (e *engine) lift(v *Verdict, home *function) {
	if _, quiet := e.unheeded(finding.GradeRequest, e.atHand(home), false); !quiet {
		e.latent = append(e.latent, v)
	}
}

func (e *engine) openFact(l *loss) OpenLoss {
	pos := e.pass.Fset.Position(l.pos)
	pkg := e.pass.Pkg.Name()
	name := l.home.name()
	if l.home.named.obj != nil && l.home.named.obj.Signature().Recv() != nil {
		name = pkg + "." + name
	}
	if !e.runsForNamed(l.home) {
		name = closureOf + name
	}
	return OpenLoss{
		Code: finding.SeveredCallee,
		Home: l.home.key(), Name: name, File: shortFile(pos.Filename), Line: pos.Line,
		Root: l.o.Root, Sink: l.sink, Bounded: l.o.Bounded, Chain: []string{name},
	}
}

// closureOf begins the name of a closure that runs apart from the function it
// is in, whose own name says nothing of it.
const closureOf = "a function made by "

func (e *engine) chainName(f *function) string {
	if e.runsForNamed(f) {
		return f.name()
	}
	return closureOf + f.name()
}

func shortFile(name string) string {
	name = filepath.ToSlash(name)
	return path.Join(path.Base(path.Dir(name)), path.Base(name))
}

// maxChain bounds the witness chain of an open loss.
const maxChain = 8

// propagate carries an open loss from a function to those that run it, up to
// the first ones that have a context at hand.
func (e *engine) propagate(f *function, o *openAt) {
	for _, have := range f.open {
		if have.fact.key() == o.fact.key() {
			return
		}
	}
	f.open = append(f.open, o)
	for _, in := range f.in {
		e.passUp(in, o)
	}
}

// passUp takes an open loss over one edge.
func (e *engine) passUp(in *edge, o *openAt) {
	if !e.onBehalf(in.mode) {
		e.judgeStart(in, o)
		return
	}
	if _, ok := e.silentOver(in, &o.fact); ok {
		return
	}
	if hand := e.atHand(in.from); len(hand) > 0 {
		e.closeLoss(in, o, hand)
		return
	}
	if e.isTwin(in.from) || len(o.fact.Chain) >= maxChain {
		return
	}
	up := *o
	up.fact.Owned = up.fact.Owned || e.doesOnAndOn(in.from, in.site)
	if in.to == nil || in.to.named != in.from.named { // not a closure of the same function
		up.fact.Chain = append([]string{e.chainName(in.from)}, o.fact.Chain...)
	}
	e.propagate(in.from, &up)
}

// importLosses starts the losses of other packages at the calls that reach them.
func (e *engine) importLosses() {
	for _, f := range e.funcs {
		for _, g := range f.out {
			if g.to != nil || g.target.Obj == nil {
				continue
			}
			if fact := e.importedFact(g.target.Obj); fact != nil {
				for i := range fact.Open {
					e.passUp(g, &openAt{fact: fact.Open[i]})
				}
			}
		}
	}
}

// closeLoss records that a function with a context at hand reaches an open
// loss: one verdict per home and ordinal, which collects its callers.
func (e *engine) closeLoss(in *edge, o *openAt, hand []carrier) {
	grade := e.gradeAt(in.from)
	pos := in.site.instr.Pos()
	if rule, ok := e.unheeded(grade, hand, true); ok {
		e.note(pos, rule)
		return
	}
	if grade == finding.GradeContract && !e.cfg.without[RuleStartUp] && o.fact.StartsUp(in.from.name(), o.fact.Chain) {
		e.note(pos, RuleStartUp)
		return
	}
	if grade == finding.GradeContract && e.onlyApart(in.from, hand) {
		e.note(pos, RuleApart)
		return
	}
	if e.allows.Allowed(pos, o.fact.Code) {
		return
	}
	key := o.fact.key()
	c := Closer{Name: in.from.name(), Key: in.from.key(), Node: in.from.nodeKey(), Pos: pos, Grade: grade, Chain: o.fact.Chain}
	v := e.closed[key]
	if v == nil {
		if o.local != nil {
			local := *o.local
			v = &local
			v.Open, v.Entries = o.fact, slices.Clone(v.Entries)
		} else {
			v = &Verdict{Code: o.fact.Code, Pos: pos, End: endOfCall(e.fileOf(pos), pos), Home: o.fact.Home, Sink: o.fact.Sink, Root: o.fact.Root, Use: o.fact.Use, Weak: o.fact.Weak, Open: o.fact}
		}
		e.closed[key] = v
		e.verdicts = append(e.verdicts, v)
	}
	if grade > v.Grade {
		v.Grade = grade
		if !v.Local {
			v.Pos, v.End = pos, endOfCall(e.fileOf(pos), pos)
		}
	}
	v.Closers = append(v.Closers, c)
	v.AddEntries(e.entries(in.from))
}

// closeKey tells one home's cause from another's.
type closeKey struct {
	code       finding.Code
	home, sink string
}

func (o *OpenLoss) key() closeKey { return closeKey{o.Code, o.Home, o.Sink.Key} }

// StartsUp reports whether the way from a function without a request in sight
// to the loss belongs to a process's start or end. Work that could have taken
// a context is judged by who calls it alone: its own name, Dial or Connect,
// only says what it waits for.
func (o *OpenLoss) StartsUp(closer string, chain []string) bool {
	if o.Code != finding.SeveredCallee {
		return StartUp(closer)
	}
	return StartUp(append([]string{closer}, chain...)...)
}

// closeUnderived notes that a caller in this package uses a context, which a
// helper here has returned instead of the one it was given, for blocking work.
func (e *engine) closeUnderived(s lossSite) {
	helper := e.bySSA[s.o.Helper.Fn]
	if s.o.Helper.Fn == nil || helper == nil {
		return // reported in the helper's package, as CTX106
	}
	e.usedUnderived[helper] = append(e.usedUnderived[helper], s)
}

// findUnderived reports functions that take a context and return one that is
// not derived from it: CTX102 if a caller in sight blocks on it, else CTX106.
func (e *engine) findUnderived() {
	for _, f := range e.funcs {
		if len(f.carriers) == 0 || f.parent != nil || e.declaresResult(f) {
			continue
		}
		for _, ret := range returns(f.ssa) {
			for _, res := range ret.Results {
				if provenance.Carries(res.Type()) {
					e.underivedAt(f, ret, res)
				}
			}
		}
	}
}

func (e *engine) underivedAt(f *function, ret *ssa.Return, res ssa.Value) {
	for _, o := range e.trace.Of(res) {
		if o.Kind != provenance.Fresh || o.Helper != nil && o.Helper.HadContext {
			continue
		}
		// The root's call if it is made here, else the return of a variable.
		l := &loss{home: f, o: o, pos: ret.Pos()}
		if root, ok := o.Site.(*ssa.Call); ok && root.Parent() == f.ssa {
			l.root, l.pos, l.site = root, root.Pos(), &callsite{instr: root}
			o.Maybe = o.Maybe || e.trace.Guarded(ret)
			if rule, ok := e.silent(&passage{f, l.site, runsHere, o}); ok {
				e.note(l.pos, rule)
				continue
			}
		} else if o.Maybe || o.Values || e.trace.Guarded(ret) || e.inTest(l.pos) || e.inGenerated(l.pos) {
			continue
		}
		if !e.seenUnderived[l.pos] {
			e.seenUnderived[l.pos] = true
			e.reportUnderived(l)
		}
	}
}

func (e *engine) reportUnderived(l *loss) {
	f := l.home
	grade := e.gradeAt(f)
	if rule, ok := e.unheeded(grade, f.carriers, false); ok {
		e.note(l.pos, rule)
		return
	}
	v := &Verdict{Code: finding.UnderivedResult, Grade: grade}
	uses := e.usedUnderived[f]
	if len(uses) > 0 {
		v.Code, l.sink, l.site = finding.SeveredCallee, uses[0].sink, uses[0].cs
		v.Local = true
	}
	for _, u := range uses {
		g := e.gradeAt(u.f)
		v.Grade = max(v.Grade, g)
		v.Closers = append(v.Closers, Closer{Name: u.f.name(), Key: u.f.key(), Node: u.f.nodeKey(), Pos: u.cs.instr.Pos(), Grade: g, Chain: []string{f.name()}})
		v.AddEntries(e.entries(u.f))
	}
	if e.allows.Allowed(l.pos, v.Code, finding.UnderivedResult) {
		return
	}
	v.fill(e, l)
	v.Returned = true
	v.setHand(f.carriers)
	v.FixSafe = !e.mixed[l.root] && onlyPassedDown(l.root, true)
	e.verdicts = append(e.verdicts, v)
}

// bestCarrier prefers a named context over a named provider over the rest.
func bestCarrier(hand []carrier) carrier {
	best, score := hand[0], -1
	for _, c := range hand {
		s := 0
		if !c.blank() {
			s += 2
		}
		if c.isContext() {
			s++
		}
		if s > score {
			best, score = c, s
		}
	}
	return best
}

// openFacts is what an importing package must know of f's open losses.
func openFacts(f *function) []OpenLoss {
	if f.obj == nil || f.obj.Name() == "init" || f.obj.Name() == "main" && f.obj.Pkg().Name() == "main" {
		return nil
	}
	var out []OpenLoss
	for _, o := range f.open {
		out = append(out, o.fact)
	}
	slices.SortFunc(out, func(a, b OpenLoss) int {
		return cmp.Or(cmp.Compare(a.Home, b.Home), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Sink.Key, b.Sink.Key))
	})
	return out
}
