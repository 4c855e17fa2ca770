package ctxflow

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// This file follows an open loss from its home up to the first functions that
// have a context at hand, through this package and into those above.

// openAt is an open loss as it stands in one function on its way up.
type openAt struct {
	fact  OpenLoss
	local *Verdict // the home's own view; nil if that is in another package
	loss  *loss    // what it is about, if that is a fresh context in this package
}

// openHome groups open losses: all those of a function have one cause, that
// it is given no context.
type openHome struct {
	f   *function
	key string
}

// openUp starts the losses of one home on their way, the first standing for all.
func (e *engine) openUp(ls []*loss) {
	l := ls[0]
	fact := e.openFact(l)
	fact.More = len(ls) - 1
	fact.Kept = !slices.ContainsFunc(ls, func(l *loss) bool { return !keptCancel(l) })
	for _, l := range ls {
		fact.Owned = fact.Owned || l.o.Cancelled || e.doesOnAndOn(l.home, l.site)
	}
	v := &Verdict{Code: finding.SeveredCallee, Open: fact, Local: true}
	v.fill(e, l)
	for _, other := range ls[1:] {
		v.More = append(v.More, other.pos)
	}
	for _, l := range ls {
		v.Held = cmp.Or(v.Held, e.heldBy(l))
	}
	e.openLosses = append(e.openLosses, v)
	e.propagate(l.home, &openAt{fact: fact, local: v, loss: l})
}

// heldBy is why a home must keep a context of its own even if it is given
// one, or "".
func (e *engine) heldBy(l *loss) string {
	switch {
	case l.root == nil:
		return fmt.Sprintf("%s is not made there, so others may use it", l.o.Root)
	case l.unsafeWrite:
		return "it changes state twice, and a cancellation between the two would leave half of both"
	case e.mixed[l.root]:
		return "some of the work on its context has to be done although the caller has gone"
	case !onlyPassedDown(l.root, false):
		return "its context is kept, or handed to what may run later"
	case failing(l.site.instr.Block()) != notFailed:
		return "its work is done because something has failed, which may be the end of the caller"
	}
	return ""
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
	if grade == finding.GradeContract && o.fact.Kept && !e.cfg.without[RuleOwned] {
		e.note(pos, RuleOwned)
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
