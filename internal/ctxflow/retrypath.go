package ctxflow

import (
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/errflow"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// This file follows attempts along the calls. A path leads from a function to
// a sink, a remote call or one of the function's own parameters, and lists the
// layers of retries that lie over the sink on the way, the outermost first.
//
// Sequential calls and calls for each element are no layers: of a function's
// calls each makes its own path, and only the largest few are kept.

// maxPaths bounds the paths that are kept of a function: those with the most
// attempts, and one of each parameter that is called.
const maxPaths = 6

// findRetries computes the paths of all functions, bottom-up, and what is to
// be said of the retries on them.
func (e *engine) findRetries() {
	e.errors = errflow.New(e.pkg)
	e.errors.Mark = e.markOf
	e.errors.Only = e.onlyStoredIn
	e.retryLoops = map[*function][]*retryLoop{}
	e.recursions = map[*function][]*retryLoop{}
	for _, f := range e.funcs {
		e.current = f
		if !e.inTest(f.pos()) && !e.inGenerated(f.pos()) {
			e.retryLoops[f] = e.retriesIn(f)
			e.recursions[f] = e.recursionsIn(f)
		}
	}
	e.followCalls()
	if e.hasInterceptors() { // which lie over calls that were followed before them
		e.nests, e.dialsKnown = nil, false
		for _, f := range e.funcs {
			f.dials = nil
		}
		e.followCalls()
	}
	e.judgeRetries()
}

// followCalls computes the paths of all functions, callees first.
func (e *engine) followCalls() {
	const maxRounds = 3
	for _, component := range e.components() {
		for range maxRounds {
			changed := false
			for _, f := range component {
				e.current = f
				changed = e.pathsOf(f) || changed
			}
			if !changed || len(component) == 1 && !slices.Contains(e.dependsOn(component[0]), component[0]) {
				break
			}
		}
	}
}

// markOf is the mark that a library function puts on an error.
func (e *engine) markOf(fn *types.Func) (string, bool) { return retry.Mark(fn.FullName()) }

// onlyStoredIn is the one value that the package ever puts in a variable.
func (e *engine) onlyStoredIn(g *ssa.Global) (ssa.Value, bool) {
	vals, ok := e.storesTo(g)
	if !ok || len(vals) != 1 {
		return nil, false
	}
	return vals[0], true
}

// pathsOf computes the paths of f and reports whether they changed.
func (e *engine) pathsOf(f *function) bool {
	var out []*retryPath
	if !e.inTest(f.pos()) {
		for _, cs := range f.calls {
			if m := e.modeOf(f, cs); m != runsHere && m != runsAwaited {
				continue
			}
			if slices.ContainsFunc(cs.targets, func(t callee.Target) bool { return t.Fn == f.ssa }) {
				continue // a recursion, which recursionsIn judges
			}
			for _, p := range e.pathsAt(f, cs) {
				p.via = cs.instr.Pos()
				out = append(out, e.lifted(f, cs, p)...)
			}
		}
	}
	out = keepLargest(out)
	changed := !slices.EqualFunc(f.paths, out, samePath)
	f.paths = out
	return changed
}

// lifted takes a path of a call up to the function's result, through the loop
// that the call is in, if that retries it.
func (e *engine) lifted(f *function, cs *callsite, p *retryPath) []*retryPath {
	w := e.wayOut(f, cs)
	for _, r := range append(slices.Clone(e.retryLoops[f]), e.recursions[f]...) {
		if r.work != cs || r.reopens {
			continue
		}
		l := &layer{name: f.name(), home: f.key(), posn: e.shortPosition(r.pos), pos: r.pos, count: r.count, retries: r.retries, stops: r.stops, gives: straight, strips: r.strips}
		q, ok := p.under(l)
		if !ok {
			break
		}
		if p.hole == nil && !p.sink.Known && !e.mayBlock(p, r) {
			break // nothing that takes time is repeated
		}
		e.addNest(f, cs, q, 1)
		return []*retryPath{q.returned(e.givenUp(f, r, w))}
	}
	return []*retryPath{p.returned(w)}
}

// mayBlock reports whether what a loop repeats is work at all: something below
// it is known to block, or the loop waits between attempts.
func (e *engine) mayBlock(p *retryPath, r *retryLoop) bool {
	return p.sink.Class != workUnknown || r.waits
}

// workUnknown is the class of a sink that may be no more than computation.
const workUnknown = "?"

// wayOut is what becomes of the call's error on its way to the function's
// result.
func (e *engine) wayOut(f *function, cs *callsite) way {
	if _, ok := cs.instr.(*ssa.Go); ok {
		return e.comesBack(f, cs)
	}
	call, ok := cs.instr.(*ssa.Call)
	if !ok {
		return way{}
	}
	if _, ok := e.leaves(f, call); ok {
		return straight
	}
	if _, ok := errflow.ErrorOf(call); !ok || !returnsError(f.ssa.Signature) {
		return way{}
	}
	if returnsCall(call) {
		return straight
	}
	if w, ok := e.ways[cs]; ok {
		return w
	}
	w := e.computeWay(f, call)
	if e.ways == nil {
		e.ways = map[*callsite]way{}
	}
	e.ways[cs] = w
	return w
}

// givenUp is what becomes of the error of a loop's attempt once the loop has
// given up: it was one to try again on each time, and nothing else fails.
func (e *engine) givenUp(f *function, r *retryLoop, w way) way {
	call, ok := r.attempt.instr.(*ssa.Call)
	if !ok || r.loop == nil || len(r.stops)+len(r.only) == 0 || !returnsError(f.ssa.Signature) {
		return w
	}
	return e.mapped(f, call, r.retries, func(class retry.Class) []errflow.Assumption {
		if len(r.only) == 0 {
			err := errflow.Error(retry.Errors(class)).Lacking(r.stops...)
			return []errflow.Assumption{{Call: call, Err: err, Others: true}}
		}
		var all []errflow.Assumption
		for _, mark := range r.only {
			all = append(all, errflow.Assumption{Call: call, Err: errflow.Error(retry.Errors(class), mark), Others: true})
		}
		return all
	})
}

// returnsCall reports whether the call's results are what the function
// returns, and used for nothing else.
func returnsCall(call *ssa.Call) bool {
	if call.Referrers() == nil || len(*call.Referrers()) != 1 {
		return false
	}
	ret, ok := (*call.Referrers())[0].(*ssa.Return)
	return ok && len(ret.Results) == 1
}

func (e *engine) computeWay(f *function, call *ssa.Call) way {
	return e.mapped(f, call, retry.AnyError, func(class retry.Class) []errflow.Assumption {
		return []errflow.Assumption{{Call: call, Err: errflow.Error(retry.Errors(class))}}
	})
}

// mapped is what the call's errors become on their way to the function's
// result, under the assumptions that stand for each of the classes.
func (e *engine) mapped(f *function, call *ssa.Call, classes retry.ErrorSet, assumed func(retry.Class) []errflow.Assumption) way {
	last := f.ssa.Signature.Results().Len() - 1
	var out way
	first := true
	for _, class := range classes.Classes() {
		var ends []errflow.End
		for _, a := range assumed(class) {
			more, ok := e.errors.Run(a, nil, nil)
			if !ok {
				return straight
			}
			ends = append(ends, more...)
		}
		var errs retry.ErrorSet
		for _, end := range ends {
			if end.Return == nil || len(end.Values) <= last || !end.Values[last].IsError() {
				continue
			}
			v := end.Values[last]
			errs |= v.Errs
			if v.Errs == retry.Errors(retry.OK) {
				continue
			}
			if marks := v.Marks(); first {
				out.marks, first = marks, false
			} else {
				out.marks = slices.DeleteFunc(out.marks, func(m string) bool { return !slices.Contains(marks, m) })
			}
		}
		if errs = errs.Minus(retry.Errors(retry.OK)); errs == retry.Errors(class) {
			out.Keeps |= errs
		} else {
			out.Others |= errs
		}
	}
	return out
}

// pathsAt lists the paths of what a call runs, in terms of f.
func (e *engine) pathsAt(f *function, cs *callsite) []*retryPath {
	var out []*retryPath
	for _, t := range cs.targets {
		out = append(out, e.pathsThrough(f, cs, t)...)
	}
	return out
}

func (e *engine) pathsThrough(f *function, cs *callsite, t callee.Target) []*retryPath {
	if t.Fn == nil && t.Obj == nil {
		return e.calledValue(f, cs, t)
	}
	if paths, ok := e.policyPaths(f, cs, t); ok {
		return paths
	}
	var below []*retryPath
	switch own := e.bySSA[t.Fn]; {
	case t.Fn != nil && own != nil:
		below = own.paths
	case t.Obj != nil && e.mayBeOwn(t.Obj.Pkg()):
		below = e.importedPaths(t)
		if impl := e.implementation(t); impl != nil && len(below) == 0 {
			below = impl.paths
		}
	}
	var out []*retryPath
	for _, p := range below {
		out = append(out, e.instantiate(f, cs, t, p)...)
	}
	if len(out) == 0 && (t.Fn == nil || e.bySSA[t.Fn] == nil) {
		out = e.sinkOf(cs, t)
	}
	// What the call runs of the functions it is given, if it is no executor.
	if !slices.ContainsFunc(below, func(p *retryPath) bool { return p.hole != nil || p.index >= 0 }) {
		out = append(out, e.handedPaths(f, cs)...)
	}
	return append(out, e.groupPaths(f, cs, t)...)
}

// implementation is what a call of an interface's method runs, if only one type
// of the package is ever made such an interface, or nil: among several the one
// that retries may be another one.
func (e *engine) implementation(t callee.Target) *function {
	if !t.Invoked || t.Obj == nil {
		return nil
	}
	var only *function
	for _, impl := range e.implementers(t.Obj) {
		if !e.madeInto(callee.Named(impl.obj.Signature().Recv().Type()), t.Obj.Signature().Recv().Type()) {
			continue
		}
		if only != nil {
			return nil
		}
		only = impl
	}
	return only
}

// madeInto reports whether the package turns a value of the type into the
// interface.
func (e *engine) madeInto(n *types.Named, iface types.Type) bool {
	if e.madeAs == nil {
		e.madeAs = map[*types.Named][]types.Type{}
		for _, f := range e.funcs {
			for _, b := range f.ssa.Blocks {
				for _, instr := range b.Instrs {
					if mi, ok := instr.(*ssa.MakeInterface); ok && !e.inTest(f.pos()) {
						if n := callee.Named(mi.X.Type()); n != nil {
							e.madeAs[n] = append(e.madeAs[n], mi.Type())
						}
					}
				}
			}
		}
	}
	return slices.ContainsFunc(e.madeAs[n], func(t types.Type) bool { return types.Identical(t, iface) })
}

// calledValue is a call of a function value: of a parameter, whose callers
// know more, or of something unknown.
func (e *engine) calledValue(f *function, cs *callsite, t callee.Target) []*retryPath {
	if p := paramBehind(cs.instr.Common().Value, 0); p != nil && e.around(f, p.Parent()) {
		return []*retryPath{{hole: p, index: -1, enters: straight, sink: Sink{Name: p.Name(), Key: "func"}}}
	}
	if p := e.clientValue(cs); p != nil {
		return []*retryPath{p}
	}
	return e.sinkOf(cs, t)
}

// sinkOf is the path to a call that blocks, or that may.
func (e *engine) sinkOf(cs *callsite, t callee.Target) []*retryPath {
	for _, b := range e.blockingArgs(t, cs.instr) {
		if !b.sink.Local {
			return []*retryPath{{index: -1, enters: straight, sink: b.sink}}
		}
	}
	if t.Obj != nil {
		s := Sink{Key: t.Obj.FullName(), Name: t.Name(), Class: workUnknown}
		if entry, ok := e.lookup(t); ok {
			if entry.Kind != catalog.Block && entry.Kind != catalog.Twin && entry.Kind != catalog.Wait {
				return nil
			}
			s.Class, s.Known = string(entry.Class), true
			if entry.Class == catalog.Waiting || entry.Class == "lock" {
				return nil
			}
		} else if t.Obj.Pkg() == nil || isStd(t.Obj.Pkg().Path()) || !returnsError(t.Obj.Signature()) {
			return nil // no more than computation
		}
		return []*retryPath{{index: -1, enters: straight, sink: s}}
	}
	return []*retryPath{{index: -1, enters: straight, sink: Sink{Key: "func", Name: t.Name(), Class: workUnknown}}}
}

// handedPaths are those of functions that the call is given and runs.
func (e *engine) handedPaths(f *function, cs *callsite) []*retryPath {
	var out []*retryPath
	for _, g := range f.out {
		if g.site == cs && g.handed && g.to != nil && g.mode == runsHere {
			for _, p := range g.to.paths {
				if p.hole == nil && len(p.layers) > 0 {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// instantiate puts a callee's path in terms of its caller: symbolic counts by
// the arguments, and a parameter that is called by the function passed for it.
func (e *engine) instantiate(f *function, cs *callsite, t callee.Target, p *retryPath) []*retryPath {
	q := *p
	q.layers = make([]*layer, len(p.layers))
	for i, l := range p.layers {
		c := *l
		c.count = e.countAt(l.count, t)
		q.layers[i] = &c
	}
	if len(q.layers) > 1 && p.attempts().Worst() < e.threshold() && q.attempts().Worst() >= e.threshold() {
		n := q // the callee could not know how large its nest is here
		n.via = cs.instr.Pos()
		e.addNest(f, cs, &n, 1)
	}
	arg := argFor(t, p)
	if arg == nil {
		return []*retryPath{&q}
	}
	down, counts := e.countsDown(arg)
	for _, l := range q.layers { // who hands the function over retries it
		if a := l.count.attempts; counts && l.count.param == nil && (a.IsUnbounded() || a.IsUnknown()) {
			l.count = down
		}
		if l.through == "" {
			l.through = l.name
		}
		l.name, l.home, l.posn, l.pos = f.name(), f.key(), e.shortPosition(cs.instr.Pos()), cs.instr.Pos()
		l.marks = l.strips && e.puts(l.stops, arg)
		e.loseMarks(l, arg)
	}
	return e.fill(f, cs, &q, arg)
}

// argFor is the argument that fills the path's hole, or nil.
func argFor(t callee.Target, p *retryPath) ssa.Value {
	i := p.index
	if p.hole != nil {
		if p.hole.Parent() != t.Fn {
			return nil
		}
		i = paramIndex(p.hole)
	}
	if i < 0 || i >= len(t.Args) {
		return nil
	}
	return t.Args[i]
}

// fill continues a path by what the function value leads to.
func (e *engine) fill(f *function, cs *callsite, p *retryPath, arg ssa.Value) []*retryPath {
	if hole := paramBehind(arg, 0); hole != nil && e.around(f, hole.Parent()) {
		q := *p
		q.hole, q.index = hole, -1
		q.sink.Name = hole.Name()
		return []*retryPath{&q}
	}
	refs, _ := e.calls.Funcs(arg)
	var out []*retryPath
	for _, ref := range refs {
		var below []*retryPath
		inside := false // of a literal here, whose body is the outer layer's
		if g := e.bySSA[ref.Fn]; ref.Fn != nil && g != nil {
			below, inside = g.paths, g.parent != nil
		} else if ref.Obj != nil {
			t := callee.Target{Obj: ref.Obj, Sig: ref.Obj.Signature()}
			if below = e.importedPaths(t); len(below) == 0 {
				below = []*retryPath{{index: -1, enters: straight, sink: Sink{Key: ref.Obj.FullName(), Name: callee.ShortName(ref.Obj), Class: workUnknown}}}
			}
		}
		for _, q := range below {
			out = append(out, e.joinPaths(f, cs, p, q, inside)...)
		}
	}
	if len(refs) == 0 {
		q := *p
		q.hole, q.index = nil, -1
		q.sink = Sink{Key: "func", Name: "a function value", Class: workUnknown}
		out = append(out, &q)
	}
	return out
}

// joinPaths puts the layers of outer over the path of what it calls.
func (e *engine) joinPaths(f *function, cs *callsite, outer, inner *retryPath, inside bool) []*retryPath {
	q, added := inner.stacked(outer)
	if added > 0 && len(inner.layers) > 0 {
		n := *q
		if n.via = cs.instr.Pos(); inside {
			n.via = inner.via
		}
		e.addNest(f, cs, &n, added)
	}
	return []*retryPath{q}
}

// countAt is a callee's count at a call.
func (e *engine) countAt(c count, t callee.Target) count {
	if c.param == nil || c.param.Parent() != t.Fn {
		return c
	}
	i := paramIndex(c.param)
	if i < 0 || i >= len(t.Args) {
		return known(retry.Unknown())
	}
	return e.countFrom(t.Args[i], c.path, c.add)
}

func (e *engine) countFrom(arg ssa.Value, fields string, add int) count {
	var n quantity
	var ok bool
	if fields == "" {
		n, ok = e.numberOf(arg, 0)
	} else {
		n, ok = e.numberBelow(arg, fields, 0)
	}
	if !ok {
		return known(retry.Unknown())
	}
	return n.plus(int64(add))
}

// shortPosition is a position whose file is named by its last folder too, as
// facts and messages of other packages have it.
func (e *engine) shortPosition(pos token.Pos) token.Position {
	p := e.pass.Fset.Position(pos)
	name := filepath.ToSlash(p.Filename)
	return token.Position{Filename: path.Join(path.Base(path.Dir(name)), path.Base(name)), Line: p.Line}
}
