package ctxflow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file finds calls that block without a context although a sibling takes
// one (CTX202): those that the catalog names, work on a request or command
// that was made without a context, and by rule any X beside an XContext that
// is known to block on its context.

// plainCalls lists such calls in f.
func (e *engine) plainCalls(f *function) []*lapse {
	var out []*lapse
	for _, cs := range f.calls {
		if e.modeOf(f, cs) == runsApart && !e.cfg.without[RuleApart] {
			continue
		}
		for _, t := range cs.targets {
			if l := e.plainCall(f, cs, t); l != nil {
				out = append(out, l)
				break
			}
		}
	}
	return out
}

func (e *engine) plainCall(f *function, cs *callsite, t callee.Target) *lapse {
	if t.Obj == nil {
		return nil
	}
	l := &lapse{code: finding.CallWithoutContext, home: f, at: cs.instr, pos: cs.instr.Pos()}
	entry, catalogued := e.lookup(t)
	if catalogued && entry.Kind == catalog.Twin {
		l.sink = Sink{Key: t.Obj.FullName(), Name: callee.ShortName(t.Obj), Class: string(entry.Class), Write: entry.Write, Known: true}
		l.use = useName(t.Obj, entry.Use)
		l.unsafe = entry.Write && e.writesBefore(f, cs.instr.Pos())
		return l
	}
	for _, b := range e.blockingArgs(t, cs.instr) {
		o, ok := provenance.Certain(e.trace.Of(b.arg), provenance.Absent)
		if !ok || strings.HasPrefix(o.Root, "httptest.") {
			continue
		}
		l.sink, l.pos = b.sink, cs.instr.Pos()
		if made, ok := o.Site.(*ssa.Call); ok {
			l.pos = made.Pos()
			l.root, l.use = o.Root, e.bareUse(made)
		}
		l.unsafe = b.sink.Write && e.writesBefore(f, cs.instr.Pos())
		return l
	}
	if catalogued {
		return nil
	}
	if l := e.standIn(f, cs, t, l); l != nil {
		return l
	}
	return e.siblingCall(f, cs, t, l)
}

// standIn judges a call through an interface of the package that stands for types
// of a catalogued library, such as one that both *sql.DB and *sql.Tx satisfy: all
// that the package ever makes such an interface must be such types.
func (e *engine) standIn(f *function, cs *callsite, t callee.Target, l *lapse) *lapse {
	if !t.Invoked || t.Obj.Pkg() != e.pass.Pkg || takesContext(t.Obj.Signature()) {
		return nil
	}
	for _, typ := range e.madeAsType(t.Args[0].Type()) {
		obj, _, _ := types.LookupFieldOrMethod(typ, true, t.Obj.Pkg(), t.Obj.Name())
		m, ok := obj.(*types.Func)
		if !ok {
			return nil
		}
		entry, ok := e.catalog.Method(typ, m)
		if !ok || entry.Kind != catalog.Twin {
			return nil
		}
		if l.sink.Name == "" {
			l.sink = Sink{Key: m.FullName(), Name: callee.ShortName(m), Class: string(entry.Class), Write: entry.Write, Known: true}
			l.use = useName(m, entry.Use)
			l.unsafe = true // the interface has no other method to call
		}
	}
	if l.sink.Name == "" {
		return nil
	}
	return l
}

// madeAsType lists the types of which the package turns values into an interface
// of the given type, if those are all values of it that it has; else none.
func (e *engine) madeAsType(iface types.Type) []types.Type {
	var out []types.Type
	for _, f := range e.funcs {
		if e.inTest(f.pos()) {
			continue
		}
		for _, b := range f.ssa.Blocks {
			for _, instr := range b.Instrs {
				v, ok := instr.(ssa.Value)
				if !ok || !types.Identical(v.Type(), iface) {
					continue
				}
				switch v := v.(type) {
				case *ssa.MakeInterface:
					out = append(out, v.X.Type())
				case *ssa.ChangeInterface, *ssa.ChangeType, *ssa.TypeAssert:
					return nil
				}
			}
		}
	}
	return out
}

// useName spells the sibling that a line of the catalog names.
func useName(fn *types.Func, use string) string {
	if strings.Contains(use, ".") || fn.Signature().Recv() != nil || fn.Pkg() == nil {
		return use
	}
	return fn.Pkg().Name() + "." + use
}

// bareUse is what takes a context in place of the call that made a request or
// a command without one.
func (e *engine) bareUse(made *ssa.Call) string {
	for _, t := range e.calls.Targets(&made.Call) {
		if t.Obj == nil {
			continue
		}
		if entry, ok := e.lookup(t); ok && entry.Kind == catalog.Bare && entry.Use != "" {
			return useName(t.Obj, entry.Use)
		}
	}
	return ""
}

// siblingCall judges a call of X by the sibling XContext, XWithContext or XCtx:
// they do the same, so X blocks if the sibling blocks on its context.
func (e *engine) siblingCall(f *function, cs *callsite, t callee.Target, l *lapse) *lapse {
	if carriesContext(t.Obj.Signature()) || observes(t) {
		return nil
	}
	twin := contextSibling(t.Obj)
	if twin == nil || twin.Origin() == f.named.obj {
		return nil
	}
	known, blocks := e.siblingBlocks(twin)
	if !blocks {
		return nil
	}
	l.sink = Sink{Key: t.Obj.FullName(), Name: callee.ShortName(t.Obj), Write: writes(t.Obj.Name()), Known: known}
	l.use = useName(t.Obj, twin.Name())
	l.unsafe = l.sink.Write && e.writesBefore(f, cs.instr.Pos())
	l.weak = !known && !e.mayBeOwnFunc(t.Obj)
	if l.weak && slices.ContainsFunc(localVerbs, func(verb string) bool { return hasVerb(t.Obj.Name(), verb) }) {
		return nil
	}
	return l
}

// localVerbs begin the names of functions that make, check or convert something
// where they are. In a library of which nothing is known, a sibling with a
// context is then most likely for values or for callbacks.
var localVerbs = []string{
	"Build", "Check", "Compile", "Decode", "Encode", "Format", "From", "Log", "Make", "Marshal", "Must", "New", "Parse",
	"Print", "Render", "Struct", "To", "Unmarshal", "Validate", "Var", "With",
}

// siblingBlocks reports whether a function that takes a context blocks on it,
// and whether that is known by more than its shape.
func (e *engine) siblingBlocks(twin *types.Func) (known, blocks bool) {
	if entry, ok := e.catalog.Func(twin); ok {
		return true, entry.Kind == catalog.Block
	}
	sig := twin.Signature()
	if body := e.calls.Body(twin); body != nil && e.bySSA[body] != nil {
		shift := len(body.Params) - sig.Params().Len()
		for i := range sig.Params().Len() {
			if sink, ok := e.bySSA[body].blocks[paramKey{body, i + shift}]; ok && !sink.Local {
				return sink.Known, true
			}
		}
		return true, false
	}
	if fact := e.importedFact(twin); fact != nil {
		if fact.Quiet {
			return true, false
		}
		for _, b := range fact.Blocks {
			if b.Sink.Known {
				return true, true
			}
		}
	}
	if recv := sig.Recv(); recv != nil && types.IsInterface(recv.Type()) {
		for _, impl := range e.implementers(twin) {
			if sink, ok := impl.blocks[paramKey{impl.ssa, 1}]; ok {
				return sink.Known, true
			}
		}
	}
	return false, blockingShape(sig) || returnsKnown(e.catalog, sig)
}

// returnsKnown reports whether a function returns a type of a catalogued
// library, such as *sql.Row, which has no error beside it.
func returnsKnown(c *catalog.Catalog, sig *types.Signature) bool {
	if sig.Params().Len() == 0 || !provenance.IsContext(sig.Params().At(0).Type()) {
		return false
	}
	for i := range sig.Results().Len() {
		if n := callee.Named(sig.Results().At(i).Type()); n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "database/sql" {
			return true
		}
	}
	return false
}

func (e *engine) mayBeOwnFunc(fn *types.Func) bool {
	if fn.Pkg() == e.pass.Pkg {
		return true
	}
	return e.importedFact(fn) != nil || e.sameModule(fn.Pkg())
}

// sameModule reports whether an imported package belongs to the module under
// analysis, as far as import paths tell.
func (e *engine) sameModule(p *types.Package) bool {
	m := e.pass.Module
	if p == nil || m == nil || m.Path == "" {
		return false
	}
	return p.Path() == m.Path || strings.HasPrefix(p.Path(), m.Path+"/")
}

// contextSibling is the sibling of fn that takes a context and is otherwise
// the same; function parameters may gain a context too.
func contextSibling(fn *types.Func) *types.Func {
	for _, suffix := range twinSuffixes {
		twin := sibling(fn, fn.Name()+suffix)
		if twin != nil && sameButContext(fn.Signature(), twin.Signature()) {
			return twin
		}
	}
	return nil
}

// sameButContext reports whether with has one context more than plain.
func sameButContext(plain, with *types.Signature) bool {
	if !types.Identical(plain.Results(), with.Results()) || plain.Variadic() != with.Variadic() {
		return false
	}
	rest := withoutContext(with.Params())
	if len(rest) != with.Params().Len()-1 || len(rest) != plain.Params().Len() {
		return false
	}
	for i, v := range rest {
		if !sameParam(plain.Params().At(i).Type(), v.Type()) {
			return false
		}
	}
	return true
}

func sameParam(plain, with types.Type) bool {
	if types.Identical(plain, with) {
		return true
	}
	p, ok1 := plain.Underlying().(*types.Signature)
	w, ok2 := with.Underlying().(*types.Signature)
	return ok1 && ok2 && sameButContext(p, w)
}

func withoutContext(params *types.Tuple) []*types.Var {
	var out []*types.Var
	for v := range params.Variables() {
		if !provenance.IsContext(v.Type()) {
			out = append(out, v)
		}
	}
	return out
}

// carriesContext reports whether a function is given a context, or a value that
// provides one, in any way that its signature shows.
func carriesContext(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		if provenance.Carries(v.Type()) {
			return true
		}
	}
	return false
}
