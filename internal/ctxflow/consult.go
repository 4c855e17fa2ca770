package ctxflow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/loops"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file says who asks a context whether it has ended, and finds requests
// that never do (CTX201).
//
// A parameter is consulted if Done, Err or Deadline is called on it or on what
// is derived from it, if it goes to something that blocks on it, or if it goes
// out of sight: into a field, a channel, a goroutine, a function of which
// nothing is known. To read its values is not to consult it. Own functions
// count by their summary; that of another package says so only if it provably
// ignores the parameter, for a missing fact must never be a reason to report.

// use is what one function does with one of its parameters.
type use struct {
	consulted bool
	handed    []paramKey // own functions that are given it, or what derives from it
}

// findConsulted computes for every parameter that is or provides a context
// whether it is consulted: directly, or by a function that it is handed to.
func (e *engine) findConsulted() {
	e.consulted = map[paramKey]bool{}
	givers := map[paramKey][]paramKey{}
	var work []paramKey
	for _, f := range e.funcs {
		for _, c := range f.carriers {
			key := paramKey{f.ssa, c.index}
			u := follower{e: e, seen: map[ssa.Value]bool{}}
			u.follow(f.ssa.Params[c.index])
			if u.use.consulted {
				work = append(work, key)
			}
			for _, to := range u.use.handed {
				givers[to] = append(givers[to], key)
			}
		}
	}
	for len(work) > 0 {
		key := work[len(work)-1]
		work = work[:len(work)-1]
		if !e.consulted[key] {
			e.consulted[key] = true
			work = append(work, givers[key]...)
		}
	}
}

// ignores lists the parameters of f that are or provide a context and that
// nobody consults, for importing packages.
func (e *engine) ignores(f *function) []int {
	var out []int
	for _, c := range f.carriers {
		if !e.consulted[paramKey{f.ssa, c.index}] {
			out = append(out, c.index)
		}
	}
	return out
}

// follower follows a context through one function and its closures.
type follower struct {
	e    *engine
	use  use
	seen map[ssa.Value]bool
}

func (w *follower) follow(v ssa.Value) {
	if w.use.consulted || w.seen[v] || v.Referrers() == nil {
		return
	}
	w.seen[v] = true
	for _, ref := range *v.Referrers() {
		w.at(v, ref)
	}
}

func (w *follower) at(v ssa.Value, ref ssa.Instruction) {
	switch ref := ref.(type) {
	case ssa.CallInstruction:
		w.call(v, ref)
	case *ssa.MakeClosure:
		for i, b := range ref.Bindings {
			if b == v {
				w.follow(ref.Fn.(*ssa.Function).FreeVars[i])
			}
		}
	case *ssa.Store:
		if a, ok := ref.Addr.(*ssa.Alloc); ok {
			w.follow(a)
		} else if fv, ok := ref.Addr.(*ssa.FreeVar); ok {
			w.follow(fv)
		} else if ref.Val == v {
			w.use.consulted = true
		}
	case *ssa.FieldAddr, *ssa.Field, *ssa.UnOp, *ssa.Extract:
		val := ref.(ssa.Value)
		elem := val.Type()
		if p, ok := elem.Underlying().(*types.Pointer); ok {
			elem = p.Elem()
		}
		if provenance.Carries(val.Type()) || provenance.Carries(elem) {
			w.follow(val)
		}
	case *ssa.Phi, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.MakeInterface, *ssa.TypeAssert:
		w.follow(ref.(ssa.Value))
	case *ssa.BinOp, *ssa.DebugRef:
	default: // returned, sent, put into a map: out of sight
		w.use.consulted = true
	}
}

func (w *follower) call(v ssa.Value, instr ssa.CallInstruction) {
	c := instr.Common()
	if c.Value == v && !c.IsInvoke() {
		return // a function that was taken for a context
	}
	targets := w.e.calls.Targets(c)
	if len(targets) == 0 {
		return // a built-in
	}
	for _, t := range targets {
		for i, arg := range t.Args {
			if arg == v {
				w.given(v, i, t, instr)
			}
		}
	}
}

// given says what the target does with its i-th argument.
func (w *follower) given(v ssa.Value, i int, t callee.Target, instr ssa.CallInstruction) {
	if i == 0 && t.RecvShift() == 1 {
		w.method(t, instr)
		return
	}
	if t.Obj != nil {
		if entry, ok := w.e.lookup(t); ok {
			w.catalogued(v, &entry, t, instr)
			return
		}
		if observes(t) {
			return
		}
	}
	if own := w.e.bySSA[t.Fn]; t.Fn != nil && own != nil {
		w.use.handed = append(w.use.handed, paramKey{t.Fn, i})
		w.results(instr)
		return
	}
	if t.Obj != nil {
		if fact := w.e.importedFact(t.Obj); fact != nil && slices.Contains(fact.Ignores, i) {
			w.results(instr)
			return
		}
	}
	w.use.consulted = true
}

// method says what it means that a method is called on the context or on what
// provides it. What a request or a stream does besides is asked for by name:
// it fails once the client has gone if it sends or receives.
func (w *follower) method(t callee.Target, instr ssa.CallInstruction) {
	name := t.Obj.Name()
	switch {
	case name == "Value":
	case name == "Done" || name == "Err" || name == "Deadline":
		w.use.consulted = true
	case t.Fn != nil && w.e.bySSA[t.Fn] != nil:
		w.use.handed = append(w.use.handed, paramKey{t.Fn, 0})
		w.results(instr)
	case slices.ContainsFunc(streamVerbs, func(verb string) bool { return hasVerb(name, verb) }):
		w.use.consulted = true
	default:
		if takesFunc(t) {
			w.use.consulted = true
		}
		w.results(instr)
	}
}

var streamVerbs = []string{"Flush", "Next", "Recv", "Send", "Stream", "Wait"}

func takesFunc(t callee.Target) bool {
	for v := range t.Sig.Params().Variables() {
		if isFunc(v.Type()) {
			return true
		}
	}
	return false
}

func (w *follower) catalogued(v ssa.Value, entry *catalog.Entry, t callee.Target, instr ssa.CallInstruction) {
	switch entry.Kind {
	case catalog.Quiet, catalog.NoReturn, catalog.Detach, catalog.Fresh:
	case catalog.Derive, catalog.Carry:
		w.results(instr)
	default:
		w.use.consulted = true
	}
}

// results follows what a call returns, where that is or provides a context.
func (w *follower) results(instr ssa.CallInstruction) {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return
	}
	if provenance.Carries(call.Type()) {
		w.follow(call)
		return
	}
	for _, ref := range *call.Referrers() {
		if ex, ok := ref.(*ssa.Extract); ok && provenance.Carries(ex.Type()) {
			w.follow(ex)
		}
	}
}

// findUnconsulted reports the handlers of requests that work long while
// nothing on their way asks their context. Where a part of that work has a
// verdict of its own, that says more, and stands alone.
func (e *engine) findUnconsulted() {
	judged := map[string]bool{} // keys of homes and names of entries
	for _, v := range e.verdicts {
		judged[v.Home] = true
		for _, name := range v.Entries {
			judged[name] = true
		}
	}
	for _, f := range e.funcs {
		if !e.startsRequest(f) || len(f.carriers) == 0 || e.testSupport || e.inGenerated(f.pos()) || judged[f.key()] || judged[f.name()] {
			continue
		}
		if slices.ContainsFunc(f.carriers, func(c carrier) bool { return e.consulted[paramKey{f.ssa, c.index}] }) {
			continue
		}
		w, ok := e.longWork(f)
		if !ok || e.allowed(w.pos, finding.NeverConsulted, f.pos(), w.pos) {
			continue
		}
		v := &Verdict{
			Code: finding.NeverConsulted, Grade: finding.GradeRequest, Home: f.key(), HomeName: f.name(), Node: f.nodeKey(),
			Sink: w.sink, SinkPos: w.pos, Weak: w.weak, Pos: f.pos(), End: f.pos() + token.Pos(len(f.ssa.Name())), Entries: e.entries(f),
		}
		if f.parent != nil {
			v.End = v.Pos + token.Pos(len("func"))
		}
		v.setHand(f.carriers)
		e.verdicts = append(e.verdicts, v)
	}
}

// work is a piece of work that takes long, whoever waits for it.
type work struct {
	pos  token.Pos
	sink Sink
	weak bool
}

// longWork finds the first such piece that f does, itself or by functions of
// the package: a wait that no context can end, what is marked or catalogued as
// expensive, or else a nest of loops over what it is given.
func (e *engine) longWork(f *function) (work, bool) {
	var found []work
	seen := map[*function]bool{f: true}
	todo := []*function{f}
	for len(todo) > 0 {
		g := todo[0]
		todo = todo[1:]
		if w, ok := e.longWorkIn(g); ok {
			if !w.weak {
				return w, true
			}
			found = append(found, w)
		}
		for _, out := range g.out {
			if out.to != nil && e.onBehalf(out.mode) && !seen[out.to] {
				seen[out.to] = true
				todo = append(todo, out.to)
			}
		}
	}
	if len(found) == 0 {
		return work{}, false
	}
	return found[0], true
}

func (e *engine) longWorkIn(f *function) (work, bool) {
	for _, cs := range f.calls {
		if !e.onBehalf(e.modeOf(f, cs)) {
			continue
		}
		for _, t := range cs.targets {
			if t.Obj == nil {
				continue
			}
			s := Sink{Key: t.Obj.FullName(), Name: callee.ShortName(t.Obj), Known: true}
			if e.catalog.Expensive(t.Obj) {
				return work{cs.instr.Pos(), s, false}, true
			}
			if entry, ok := e.lookup(t); ok && entry.Kind == catalog.Wait && (entry.Class == catalog.RPC || entry.Class == catalog.Net && t.Obj.Pkg().Path() == "net/smtp") {
				s.Class = string(entry.Class)
				return work{cs.instr.Pos(), s, false}, true
			}
		}
	}
	if pos := e.nestIn(f); pos.IsValid() {
		return work{pos, Sink{Key: "loops", Name: "a nest of loops", Known: true}, true}, true
	}
	return work{}, false
}

// nestIn is where a nest of loops over inputs begins in f: of loops that go
// over elements or count up to a number which is not constant, one inside
// another. Ranges over a string do not count.
func (e *engine) nestIn(f *function) token.Pos {
	if !hasBackEdge(f.ssa) {
		return token.NoPos
	}
	for _, l := range e.loopsOf(f.ssa) {
		if l.Outer != nil && overInput(l) && overInput(l.Outer) {
			for _, b := range l.Blocks {
				for _, instr := range b.Instrs {
					if pos := loopPos(f.ssa, instr.Pos()); pos.IsValid() {
						return pos
					}
				}
			}
		}
	}
	return token.NoPos
}

func overInput(l *loops.Loop) bool {
	switch l.Kind() {
	case loops.Each:
		for _, b := range l.Blocks {
			for _, instr := range b.Instrs {
				if next, ok := instr.(*ssa.Next); ok && next.IsString {
					return false
				}
			}
		}
		return true
	case loops.Counted:
		return slices.ContainsFunc(l.Bounds(), func(b loops.Bound) bool { return b.Every && b.Limit != nil })
	}
	return false
}
