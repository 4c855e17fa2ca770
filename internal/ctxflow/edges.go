package ctxflow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
)

// mode says when a function runs relative to the one that starts it.
type mode uint8

const (
	runsNot      mode = iota
	runsApart         // later, or concurrently and unawaited
	runsShared        // once, on behalf of many callers
	runsAwaited       // concurrently, and its end is waited for without a way out
	runsDeferred      // in a defer
	runsHere          // before the statement ends
)

// onBehalf reports whether what runs in the mode is the starter's own business.
func (e *engine) onBehalf(m mode) bool {
	switch m {
	case runsApart:
		return e.cfg.without[RuleApart]
	case runsShared:
		return e.cfg.without[RuleShared]
	}
	return m != runsNot
}

// edge says that a function may run another one: by a call, or by handing it
// to something that calls it.
type edge struct {
	from   *function
	site   *callsite
	target callee.Target
	to     *function // nil if it has no body in this package
	mode   mode
	handed bool // target is handed over as a value at site, and site calls another function
}

// addEdges finds the edges of all functions. Whether a function calls its
// function parameters depends on edges and decides on edges, so this goes
// round until nothing changes.
func (e *engine) addEdges() {
	const maxRounds = 6
	for range maxRounds {
		for _, f := range e.funcs {
			f.out, f.in = nil, nil
		}
		for _, f := range e.funcs {
			for _, cs := range f.calls {
				e.edgesAt(f, cs)
			}
		}
		for _, f := range e.funcs {
			for _, cs := range f.calls {
				e.edgesToArguments(f, cs)
				e.edgesToInstances(f, cs)
			}
		}
		if !e.learnCallsParam() {
			return
		}
	}
}

func (e *engine) edgesAt(f *function, cs *callsite) {
	m := e.modeOf(f, cs)
	for _, t := range cs.targets {
		if t.Fn != nil || t.Obj != nil {
			e.addEdge(&edge{from: f, site: cs, target: t, mode: m})
		}
		for i, arg := range t.Args {
			if !isFunc(arg.Type()) {
				continue
			}
			am := e.argMode(f, t, i, arg)
			if am == runsNot {
				continue
			}
			if am == runsApart && e.joinsGroup(f, t) {
				am = runsAwaited
			}
			refs, _ := e.calls.Funcs(arg)
			for _, ref := range refs {
				handed := callee.Target{Fn: ref.Fn, Obj: ref.Obj, Sig: arg.Type().Underlying().(*types.Signature)}
				e.addEdge(&edge{from: f, site: cs, target: handed, mode: min(m, am), handed: true})
			}
		}
	}
}

// edgesToArguments adds edges for a call of a function parameter in a closure
// that outlives the function it is in: to what the callers in this package
// pass for the parameter. This is how a wrapper makes a handler of a function.
// Where the call is part of the function itself, it is its callers who hand
// the argument over, see edgesAt.
func (e *engine) edgesToArguments(f *function, cs *callsite) {
	if f.parent == nil || len(cs.targets) != 1 || cs.targets[0].Fn != nil || cs.targets[0].Obj != nil {
		return
	}
	p := paramBehind(cs.instr.Common().Value, 0)
	if p == nil || p.Parent() == f.ssa || e.runsForNamed(f) {
		return
	}
	owner, i := e.bySSA[p.Parent()], paramIndex(p)
	if owner == nil {
		return
	}
	for _, in := range owner.in {
		if in.handed || i >= len(in.target.Args) {
			continue
		}
		refs, _ := e.calls.Funcs(in.target.Args[i])
		for _, ref := range refs {
			t := callee.Target{Fn: ref.Fn, Obj: ref.Obj, Sig: cs.instr.Common().Signature()}
			e.addEdge(&edge{from: f, site: cs, target: t, mode: e.modeOf(f, cs), handed: true})
		}
	}
}

// edgesToInstances adds edges for a method called on a value of a type
// parameter: to the methods of the types with which callers in this package
// instantiate the function.
func (e *engine) edgesToInstances(f *function, cs *callsite) {
	c := cs.instr.Common()
	if !c.IsInvoke() {
		return
	}
	tp, ok := types.Unalias(c.Value.Type()).(*types.TypeParam)
	if !ok {
		return
	}
	params := f.named.ssa.TypeParams()
	if tp.Index() >= params.Len() || params.At(tp.Index()) != tp {
		return
	}
	for _, in := range f.named.in {
		instance := in.site.instr.Common().StaticCallee()
		if in.handed || instance == nil || len(instance.TypeArgs()) != params.Len() {
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(instance.TypeArgs()[tp.Index()], true, c.Method.Pkg(), c.Method.Name())
		if m, ok := obj.(*types.Func); ok {
			t := callee.Target{Fn: e.calls.Body(m), Obj: m.Origin(), Args: append([]ssa.Value{c.Value}, c.Args...), Sig: c.Signature()}
			e.addEdge(&edge{from: f, site: cs, target: t, mode: e.modeOf(f, cs)})
		}
	}
}

func (e *engine) addEdge(g *edge) {
	if g.target.Fn != nil {
		g.to = e.bySSA[g.target.Fn]
	}
	g.from.out = append(g.from.out, g)
	if g.to != nil {
		g.to.in = append(g.to.in, g)
	}
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// modeOf is the mode in which a call instruction runs its callee.
func (e *engine) modeOf(f *function, cs *callsite) mode {
	switch instr := cs.instr.(type) {
	case *ssa.Defer:
		return runsDeferred
	case *ssa.Go:
		if e.awaited(f, instr, cs) {
			return runsAwaited
		}
		return runsApart
	}
	return runsHere
}

// argMode is the mode in which the target runs the function that is its i-th
// argument.
func (e *engine) argMode(f *function, t callee.Target, i int, arg ssa.Value) mode {
	if mc, ok := arg.(*ssa.MakeClosure); ok && mc.Fn.(*ssa.Function).Synthetic == "range-over-func yield" {
		return runsHere
	}
	if t.Obj != nil {
		if entry, ok := e.lookup(t); ok {
			if param := i - t.RecvShift(); param >= 0 && param < t.Obj.Signature().Params().Len() && entry.CallsArg(t.Obj.Signature(), param) {
				return e.cataloguedMode(f, t, &entry)
			}
		}
		if fact := e.importedFact(t.Obj); fact != nil {
			for _, c := range fact.Calls {
				if c == i {
					return runsHere
				}
			}
		}
	}
	if own := e.bySSA[t.Fn]; t.Fn != nil && own != nil {
		return own.callsParam[i]
	}
	return defaultArgMode(t, arg)
}

func (e *engine) cataloguedMode(f *function, t callee.Target, entry *catalog.Entry) mode {
	switch entry.Kind {
	case catalog.Sync, catalog.Retry:
		return runsHere
	case catalog.Shared:
		return runsShared
	case catalog.Spawn:
		if entry.Wait != "" && len(t.Args) > 0 && e.waitsOn(f, entry.Wait, t.Args[0]) {
			return runsAwaited
		}
	}
	return runsApart
}

// defaultArgMode is for a function of which nothing is known: one that
// returns an error and takes a function that returns one passes it on, so it
// runs the function before it returns (a transaction, a retry, a walk). A
// callback without an error may be kept for later, and so is one that is
// registered for something to happen, by the verb of the function's name.
func defaultArgMode(t callee.Target, arg ssa.Value) mode {
	if t.Sig == nil || !returnsError(t.Sig) || !returnsError(arg.Type().Underlying().(*types.Signature)) {
		return runsApart
	}
	name := t.Name()
	name = name[strings.LastIndexByte(name, '.')+1:]
	if slices.ContainsFunc(registerVerbs, func(verb string) bool { return hasVerb(name, verb) }) {
		return runsApart
	}
	return runsHere
}

var registerVerbs = []string{
	"Add", "After", "Async", "Bind", "Consume", "Defer", "Enqueue", "Every", "Handle", "Hook", "Listen", "Notify", "Observe",
	"On", "Push", "Queue", "Register", "Schedule", "Set", "Spawn", "Start", "Submit", "Subscribe", "Use", "Watch",
}

func returnsError(sig *types.Signature) bool {
	n := sig.Results().Len()
	return n > 0 && isError(sig.Results().At(n-1).Type())
}

func isError(t types.Type) bool {
	return types.Identical(types.Unalias(t), types.Universe.Lookup("error").Type())
}

// lookup finds the catalog's line on a target.
func (e *engine) lookup(t callee.Target) (catalog.Entry, bool) { return e.trace.Lookup(t) }

// learnCallsParam updates which function parameters are called, from direct
// calls and from handing them on. It reports whether it learned anything.
func (e *engine) learnCallsParam() bool {
	changed := false
	learn := func(v ssa.Value, in *function, m mode) {
		p := paramBehind(v, 0)
		if p == nil || m == runsNot {
			return
		}
		owner := e.bySSA[p.Parent()]
		if owner == nil {
			return
		}
		for g := in; g != owner; g = g.parent { // a closure's own mode counts
			if g == nil {
				return
			}
			m = min(m, e.modeWithin(g))
		}
		i := paramIndex(p)
		if m > owner.callsParam[i] {
			owner.callsParam[i], changed = m, true
		}
	}
	for _, f := range e.funcs {
		for _, cs := range f.calls {
			m := e.modeOf(f, cs)
			for _, t := range cs.targets {
				if t.Fn == nil && t.Obj == nil {
					learn(cs.instr.Common().Value, f, m)
				}
				for i, arg := range t.Args {
					if isFunc(arg.Type()) {
						learn(arg, f, min(m, e.argMode(f, t, i, arg)))
					}
				}
			}
		}
	}
	return changed
}

// modeWithin is the strongest mode in which a closure runs for a function around it.
func (e *engine) modeWithin(f *function) mode {
	best := runsNot
	for _, in := range f.in {
		if f.inside(in.from) {
			best = max(best, in.mode)
		}
	}
	return best
}

// paramBehind is the parameter that a function value is a copy of, or nil.
func paramBehind(v ssa.Value, depth int) *ssa.Parameter {
	if depth > 8 {
		return nil
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return v
	case *ssa.ChangeType:
		return paramBehind(v.X, depth+1)
	case *ssa.FreeVar:
		for _, b := range callee.Bindings(v) {
			return paramBehind(b, depth+1)
		}
	case *ssa.UnOp:
		return paramBehind(v.X, depth+1)
	case *ssa.Alloc:
		if vals, ok := callee.StoredIn(v); ok && len(vals) == 1 {
			return paramBehind(vals[0], depth+1)
		}
	}
	return nil
}

func paramIndex(p *ssa.Parameter) int {
	for i, q := range p.Parent().Params {
		if q == p {
			return i
		}
	}
	return -1
}
