package ctxflow

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file judges work that no context can end: calls that could have taken
// one (twin.go), waits (wait.go) and loops (endless.go). As with a fresh
// context, each such lapse has one home. There it is reported if a context is
// at hand, and else it is passed up to the first function that has one.

// lapse is one piece of work that no context can end.
type lapse struct {
	code    finding.Code
	home    *function
	at      ssa.Instruction // what blocks
	pos     token.Pos       // of what is to be mended
	end     token.Pos       // of that, if it is not a call
	sink    Sink
	root    string // what made a request or command without one, if that is it
	use     string // what takes a context in its place, if anything does
	weak    bool   // see Verdict.Weak
	unsafe  bool   // cancelling it could leave half a change
	ordinal int
}

// findLapses lists the lapses of the package, in source order.
func (e *engine) findLapses() []*lapse {
	var out []*lapse
	for _, f := range e.funcs {
		if len(f.ssa.Blocks) == 0 || len(f.ssa.Blocks) > maxBlocks {
			continue
		}
		e.current = f
		out = append(out, e.plainCalls(f)...)
		found, waits := e.endless(f, e.waits(f))
		for _, l := range slices.Concat(found, waits) {
			l.unsafe = e.writesBefore(f, l.at.Pos())
		}
		out = append(append(append(out, found...), waits...), e.unheard(f)...)
	}
	out = append(out, e.findExpensive()...)
	out = slices.DeleteFunc(out, func(l *lapse) bool {
		rule, quiet := e.sparedAt(l)
		if quiet {
			e.note(l.at.Pos(), rule)
		}
		return quiet
	})
	slices.SortStableFunc(out, func(a, b *lapse) int { return cmp.Compare(a.pos, b.pos) })
	out = slices.CompactFunc(out, func(a, b *lapse) bool { return a.code == b.code && a.pos == b.pos })
	type key struct {
		code       finding.Code
		home, sink string
	}
	next := map[key]int{}
	for _, l := range out {
		k := key{l.code, l.home.key(), l.sink.Key}
		l.ordinal = next[k]
		next[k]++
	}
	return out
}

// judgeLapses sorts them as classify does losses.
func (e *engine) judgeLapses(lapses []*lapse) {
	type home struct {
		f    *function
		code finding.Code
	}
	open := map[home][]*lapse{}
	var order []home
	for _, l := range lapses {
		hand := e.atHand(l.home)
		switch {
		case e.allowed(l.at.Pos(), l.code, l.pos, l.at.Pos()):
		case len(hand) > 0:
			e.reportLapse(l, hand)
		case e.isTwin(l.home):
			e.note(l.at.Pos(), RuleTwin)
		default:
			k := home{l.home, l.code}
			if open[k] == nil {
				order = append(order, k)
			}
			open[k] = append(open[k], l)
		}
	}
	for _, k := range order {
		e.openLapses(open[k])
	}
}

func (e *engine) lapseVerdict(l *lapse) *Verdict {
	v := &Verdict{
		Code: l.code, Home: l.home.key(), HomeName: l.home.name(), Node: l.home.nodeKey(),
		Sink: l.sink, Root: l.root, Ordinal: l.ordinal, Use: l.use, Weak: l.weak, SinkPos: l.at.Pos(),
	}
	v.Pos, v.End = l.pos, l.end
	if !l.end.IsValid() {
		v.RootCall = l.pos
		v.Pos, v.End = callRange(e.fileOf(l.pos), l.pos)
	}
	v.AddEntries(e.entries(l.home))
	return v
}

func (e *engine) reportLapse(l *lapse, hand []carrier) {
	grade := e.gradeAt(l.home)
	v := e.lapseVerdict(l)
	v.Grade = grade
	v.setHand(hand)
	v.FixSafe = (grade == finding.GradeRequest || l.sink.Known) && !l.unsafe && !v.Weak
	rule, quiet := e.unheeded(grade, hand, false)
	if !quiet && e.onlyApart(l.home, hand) {
		rule, quiet = RuleApart, true
	}
	if !quiet && grade == finding.GradeContract && !e.cfg.without[RuleStartUp] && StartUp(l.home.name()) {
		rule, quiet = RuleStartUp, true
	}
	if quiet {
		e.note(l.at.Pos(), rule)
		e.lift(v, l.home)
		return
	}
	e.verdicts = append(e.verdicts, v)
}

// onlyApart reports whether a function runs only apart from its callers, as far
// as the package shows, and has no context but that of a request which it was
// given: that one ends when the handler returns.
func (e *engine) onlyApart(f *function, hand []carrier) bool {
	if e.cfg.without[RuleApart] || e.reached[f] || len(f.named.in) == 0 || slices.ContainsFunc(hand, carrier.isContext) {
		return false
	}
	return !slices.ContainsFunc(f.named.in, func(in *edge) bool { return in.mode != runsApart })
}

// openLapses starts those of one code in one home on their way up, the first
// standing for all: they have one cause, that the function is given no context.
func (e *engine) openLapses(ls []*lapse) {
	l := ls[0]
	pos := e.pass.Fset.Position(l.pos)
	v := e.lapseVerdict(l)
	v.Local = true
	for _, other := range ls[1:] {
		v.More = append(v.More, other.pos)
		v.Weak = v.Weak && other.weak
	}
	name := e.chainName(l.home)
	if l.home.named.obj != nil && l.home.named.obj.Signature().Recv() != nil && e.runsForNamed(l.home) {
		name = e.pass.Pkg.Name() + "." + name
	}
	v.Open = OpenLoss{
		Code: l.code, Home: v.Home, Name: name, File: shortFile(pos.Filename), Line: pos.Line,
		Root: l.root, Use: l.use, Weak: v.Weak, Sink: l.sink, More: len(v.More), Chain: []string{name},
	}
	e.openLosses = append(e.openLosses, v)
	e.propagate(l.home, &openAt{fact: v.Open, local: v})
}

// sparedAt returns the rule of silence that holds for a lapse where it is.
func (e *engine) sparedAt(l *lapse) (Rule, bool) {
	pos := l.at.Pos()
	rules := []struct {
		rule  Rule
		holds func() bool
	}{
		{RuleTest, func() bool { return e.inTest(pos) || l.home.helpsTests() || e.testSupport }},
		{RuleGenerated, func() bool { return e.inGenerated(pos) }},
		{RuleAfterDone, func() bool { return e.afterDoneAt(l.home, l.at) }},
		{RuleRelease, func() bool { return e.releasesLapse(l) }},
		{RuleResource, func() bool { return e.keepsLapse(l) }},
	}
	for _, r := range rules {
		if !e.cfg.without[r.rule] && r.holds() {
			return r.rule, true
		}
	}
	return "", false
}

// releasesLapse: release-shaped work, see releases. A wait on a failing path is
// most often the gap before another attempt; only in a defer does it belong to
// the way out.
func (e *engine) releasesLapse(l *lapse) bool {
	if call, ok := l.at.(ssa.CallInstruction); ok && l.code == finding.CallWithoutContext {
		site := e.siteOf(l.home, call)
		return e.releases(&passage{in: l.home, site: site, mode: e.modeOf(l.home, site)})
	}
	_, deferred := l.at.(*ssa.Defer)
	return deferred || e.deferred(l.home)
}

// keepsLapse: what the call brings is kept for later callers, see keepsResult.
// The context of a dial is for the dialling alone, so a connection that is
// kept is no reason to do without.
func (e *engine) keepsLapse(l *lapse) bool {
	call, ok := l.at.(ssa.CallInstruction)
	return ok && l.code == finding.CallWithoutContext && l.sink.Class != "net" && e.keepsResult(&passage{in: l.home, site: e.siteOf(l.home, call)})
}

// siteOf is the call site of an instruction of f.
func (e *engine) siteOf(f *function, call ssa.CallInstruction) *callsite {
	for _, cs := range f.calls {
		if cs.instr == call {
			return cs
		}
	}
	return &callsite{instr: call}
}

// silentOver returns the rule of silence that stops a loss on an edge.
func (e *engine) silentOver(in *edge, o *OpenLoss) (Rule, bool) {
	p := &passage{in.from, in.site, in.mode, provenance.Origin{Bounded: o.Bounded}}
	if o.Code == finding.SeveredCallee {
		return e.silent(p)
	}
	pos := in.site.instr.Pos()
	switch {
	case !e.cfg.without[RuleTest] && (e.inTest(pos) || in.from.helpsTests() || e.testSupport):
		return RuleTest, true
	case !e.cfg.without[RuleGenerated] && e.inGenerated(pos):
		return RuleGenerated, true
	case !e.cfg.without[RuleAfterDone] && e.afterDone(p):
		return RuleAfterDone, true
	case !e.cfg.without[RuleRelease] && (in.mode == runsDeferred || e.deferred(in.from) || isRelease(in.site)) && e.releases(p):
		return RuleRelease, true
	}
	return "", false
}

// Stopped reports whether a rule of silence stops the loss at a call.
func (o *OpenLoss) Stopped(c Call) bool {
	if o.Code == finding.SeveredCallee {
		return c.Silent
	}
	return c.SilentLapse
}
