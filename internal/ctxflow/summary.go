package ctxflow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// maxRounds bounds the rounds over one component. Summaries only grow, and
// each round adds at least one sink or origin, so real components settle in
// two or three.
const maxRounds = 12

// summarize computes the summaries bottom-up.
func (e *engine) summarize() {
	for _, component := range e.components() {
		for range maxRounds {
			changed := false
			for _, f := range component {
				changed = e.summarizeFunc(f) || changed
			}
			if !changed || len(component) == 1 && !slices.Contains(e.dependsOn(component[0]), component[0]) {
				break
			}
			e.trace.Forget()
		}
	}
}

// dependsOn lists the functions whose summaries f's summary uses.
func (e *engine) dependsOn(f *function) []*function {
	var out []*function
	for _, g := range f.out {
		if g.to != nil {
			out = append(out, g.to)
		} else if g.target.Invoked && !g.handed {
			out = append(out, e.implementers(g.target.Obj)...)
		}
	}
	return out
}

// components lists the strongly connected components of the edges, callees
// first (Tarjan's algorithm).
func (e *engine) components() [][]*function {
	var (
		out   [][]*function
		stack []*function
		next  = 1
		num   = make(map[*function]int, len(e.funcs))
		low   = make(map[*function]int, len(e.funcs))
		on    = map[*function]bool{}
		visit func(f *function)
	)
	visit = func(f *function) {
		num[f], low[f] = next, next
		next++
		stack, on[f] = append(stack, f), true
		for _, g := range e.dependsOn(f) {
			switch {
			case num[g] == 0:
				visit(g)
				low[f] = min(low[f], low[g])
			case on[g]:
				low[f] = min(low[f], num[g])
			}
		}
		if low[f] != num[f] {
			return
		}
		i := slices.Index(stack, f)
		component := slices.Clone(stack[i:])
		for _, g := range component {
			on[g] = false
		}
		stack = stack[:i]
		slices.SortFunc(component, func(a, b *function) int { return a.index - b.index })
		out = append(out, component)
	}
	for _, f := range e.funcs {
		if num[f] == 0 {
			visit(f)
		}
	}
	return out
}

// summarizeFunc updates one function's summary and reports whether it changed.
func (e *engine) summarizeFunc(f *function) bool {
	e.current = f
	changed := e.summarizeResults(f)
	for _, cs := range f.calls {
		if !e.onBehalf(e.modeOf(f, cs)) {
			continue
		}
		for _, t := range cs.targets {
			for _, s := range e.blockingArgs(t, cs.instr) {
				changed = e.addBlocks(f, e.trace.Of(s.arg), s.sink) || changed
			}
		}
	}
	for _, w := range doneWaits(f.ssa) {
		sink := Sink{Key: f.key(), Name: f.name(), Class: string(catalog.Waiting), Known: true, Local: true}
		changed = e.addBlocks(f, e.trace.Of(w), sink) || changed
	}
	for _, g := range f.out { // what closures block on in the functions around them
		if g.to == nil || !e.onBehalf(g.mode) {
			continue
		}
		for key, sink := range g.to.blocks {
			if key.fn != g.to.ssa {
				changed = e.putBlocks(f, key, sink) || changed
			}
		}
	}
	return changed
}

func (e *engine) addBlocks(f *function, os []provenance.Origin, sink Sink) bool {
	changed := false
	for _, o := range os {
		if o.Kind == provenance.Param {
			changed = e.putBlocks(f, paramKey{o.Fn, o.Index}, sink) || changed
		}
	}
	return changed
}

// putBlocks keeps the first sink of the highest rank in source order, so that
// summaries do not depend on map order.
func (e *engine) putBlocks(f *function, key paramKey, sink Sink) bool {
	old, ok := f.blocks[key]
	if ok && old.rank() >= sink.rank() {
		return false
	}
	f.blocks[key] = sink
	return true
}

// rank orders sinks by how much they say: a library call of which the catalog
// knows, one that has the shape, a wait among the program's own parts.
func (s Sink) rank() int {
	switch {
	case s.Local:
		return 1
	case s.Known:
		return 3
	}
	return 2
}

// blockingArg is an argument whose context the sink blocks on.
type blockingArg struct {
	arg  ssa.Value
	sink Sink
}

// blockingArgs lists the arguments of a call on which the target blocks: by
// the catalog, else by the summary of an own function, else by the shape that
// nearly all blocking Go API has.
func (e *engine) blockingArgs(t callee.Target, instr ssa.CallInstruction) []blockingArg {
	if t.Obj != nil {
		if entry, ok := e.lookup(t); ok {
			return cataloguedBlock(t, &entry)
		}
	}
	if own := e.bySSA[t.Fn]; t.Fn != nil && own != nil {
		return ownBlocks(t, own)
	}
	if t.Obj != nil {
		if fact := e.importedFact(t.Obj); fact != nil && (fact.Quiet || len(fact.Blocks) > 0) {
			return factBlocks(t, fact)
		}
	}
	if args, ok := e.implemented(t); ok {
		return args
	}
	return shapedBlock(t, instr)
}

func cataloguedBlock(t callee.Target, entry *catalog.Entry) []blockingArg {
	if entry.Kind != catalog.Block {
		return nil
	}
	arg := provenance.ContextArg(entry, t)
	if arg == nil {
		return nil
	}
	name := callee.ShortName(t.Obj)
	// A line about many functions cannot tell which of them change state.
	write := entry.Write || entry.Symbol.Wide() && writes(name)
	return []blockingArg{{arg, Sink{Key: t.Obj.FullName(), Name: name, Class: string(entry.Class), Write: write, Known: true}}}
}

func ownBlocks(t callee.Target, own *function) []blockingArg {
	var out []blockingArg
	for i, arg := range t.Args {
		if sink, ok := own.blocks[paramKey{t.Fn, i}]; ok {
			out = append(out, blockingArg{arg, sink})
		}
	}
	return out
}

func factBlocks(t callee.Target, fact *Fact) []blockingArg {
	var out []blockingArg
	for _, b := range fact.Blocks {
		if b.Param < len(t.Args) {
			out = append(out, blockingArg{t.Args[b.Param], b.Sink})
		}
	}
	return out
}

// shapedBlock is the default for what nothing is known of: a first parameter that is a
// context and a last result that is an error.
func shapedBlock(t callee.Target, instr ssa.CallInstruction) []blockingArg {
	if t.Sig == nil || !blockingShape(t.Sig) || len(t.Args) <= t.RecvShift() || observes(t) {
		return nil
	}
	s := Sink{Name: t.Name(), Key: t.Name()}
	if t.Obj != nil {
		s.Key = t.Obj.FullName()
	} else {
		s.Name = valueName(instr.Common().Value)
		s.Key = "func" // an identity must not hold the name of a variable
	}
	s.Write = writes(s.Name)
	return []blockingArg{{t.Args[t.RecvShift()], s}}
}

// observes reports whether a method belongs to a logger, tracer or the like:
// what they do with a context is read its values.
func observes(t callee.Target) bool {
	if t.RecvShift() == 0 {
		return false
	}
	n := callee.Named(t.Obj.Signature().Recv().Type())
	if n == nil {
		return false
	}
	for _, suffix := range []string{"Logger", "Tracer", "Meter", "Metrics"} {
		if strings.HasSuffix(n.Obj().Name(), suffix) {
			return true
		}
	}
	return false
}

func blockingShape(sig *types.Signature) bool {
	return sig.Params().Len() > 0 && provenance.IsContext(sig.Params().At(0).Type()) && returnsError(sig)
}

// valueName is how the source spells a called function value, as far as SSA knows.
func valueName(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Global:
		return v.Name()
	case *ssa.UnOp:
		if fa, ok := v.X.(*ssa.FieldAddr); ok {
			return fieldName(fa.X.Type(), fa.Field)
		}
		return valueName(v.X)
	case *ssa.Alloc:
		return v.Comment
	}
	return "a function value"
}

// doneWaits lists the contexts whose Done channel the function waits on: in a
// bare receive, or in a select without default.
func doneWaits(fn *ssa.Function) []ssa.Value {
	var out []ssa.Value
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.UnOp:
				if instr.Op == token.ARROW {
					if ctx := doneOf(instr.X); ctx != nil {
						out = append(out, ctx)
					}
				}
			case *ssa.Select:
				if !instr.Blocking {
					continue
				}
				for _, st := range instr.States {
					if ctx := doneOf(st.Chan); ctx != nil {
						out = append(out, ctx)
					}
				}
			}
		}
	}
	return out
}

// doneOf returns ctx if v is ctx.Done(), else nil.
func doneOf(v ssa.Value) ssa.Value { return contextMethod(v, "Done") }

// contextMethod returns ctx if v is a call of the named method on it.
func contextMethod(v ssa.Value, name string) ssa.Value {
	c, ok := v.(*ssa.Call)
	if !ok {
		return nil
	}
	if c.Call.IsInvoke() {
		if c.Call.Method.Name() == name && provenance.IsContext(c.Call.Value.Type()) {
			return c.Call.Value
		}
		return nil
	}
	fn := c.Call.StaticCallee()
	if fn != nil && fn.Name() == name && fn.Signature.Recv() != nil && len(c.Call.Args) == 1 && provenance.IsContext(c.Call.Args[0].Type()) {
		return c.Call.Args[0]
	}
	return nil
}

// summarizeResults computes where the contexts that f returns come from.
func (e *engine) summarizeResults(f *function) bool {
	results := f.ssa.Signature.Results()
	changed := false
	for i := range results.Len() {
		if !e.trace.Carries(results.At(i).Type()) {
			continue
		}
		var ros []provenance.ResultOrigin
		for _, ret := range returns(f.ssa) {
			guarded := e.trace.Guarded(ret)
			for _, o := range e.trace.Of(ret.Results[i]) {
				ro := resultOrigin(f, o)
				ro.Maybe = ro.Maybe || guarded && o.Kind != provenance.Param
				if !slices.Contains(ros, ro) {
					ros = append(ros, ro)
				}
			}
		}
		if len(ros) == 0 {
			continue
		}
		slices.SortFunc(ros, compareResults)
		if !slices.Equal(f.results[i], ros) {
			f.results[i], changed = ros, true
		}
	}
	return changed
}

// returns lists the function's own ways out. What it returns after a panic
// that a defer has recovered from is a default, and has no place.
func returns(fn *ssa.Function) []*ssa.Return {
	var out []*ssa.Return
	for _, b := range fn.Blocks {
		if b == fn.Recover {
			continue
		}
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			out = append(out, ret)
		}
	}
	return out
}

func resultOrigin(f *function, o provenance.Origin) provenance.ResultOrigin {
	ro := provenance.ResultOrigin{Kind: o.Kind, Root: o.Root, Bounded: o.Bounded, Values: o.Values, Maybe: o.Maybe, Deaf: o.Deaf}
	switch o.Kind {
	case provenance.Param:
		if o.Fn != f.ssa {
			return provenance.ResultOrigin{Kind: provenance.Unknown}
		}
		ro.Param = o.Index
	case provenance.Fresh:
		ro.HadContext = len(f.carriers) > 0
	}
	return ro
}

// ResultOrigins implements provenance.Oracle.
func (e *engine) ResultOrigins(t callee.Target, result int) ([]provenance.ResultOrigin, bool) {
	if own := e.bySSA[t.Fn]; t.Fn != nil && own != nil {
		return own.results[result], true
	}
	if t.Obj == nil {
		return nil, false
	}
	fact := e.importedFact(t.Obj)
	if fact == nil {
		return nil, false
	}
	var ros []provenance.ResultOrigin
	for _, r := range fact.Results {
		if r.Result == result {
			ros = append(ros, r.origin())
		}
	}
	return ros, len(ros) > 0
}
