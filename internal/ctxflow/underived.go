package ctxflow

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file finds helpers that take a context and return another.

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
