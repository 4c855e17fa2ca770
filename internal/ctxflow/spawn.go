package ctxflow

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file judges work that a go statement starts: whether anything ends it
// (CTX103), and whether it goes on after its request (CTX105).

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
