package ctxflow

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

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

// runsForNamed reports whether a closure runs as part of the function around it.
func (e *engine) runsForNamed(f *function) bool {
	for ; f.parent != nil; f = f.parent {
		if !e.onBehalf(e.modeWithin(f)) {
			return false
		}
	}
	return true
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
	if !quiet && grade == finding.GradeContract && keptCancel(l) && !e.cfg.without[RuleOwned] {
		rule, quiet = RuleOwned, true
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
