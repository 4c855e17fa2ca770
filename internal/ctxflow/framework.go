package ctxflow

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/provenance"
	"github.com/ctxprop/ctxprop/internal/request"
)

// This file holds what is particular to frameworks: how their values are asked
// for a request's context, what is registered with them, and contexts that do
// not end with the request they stand for.

// asksFor is the method by which a value of the type is asked for a request's
// or caller's context, or "" if it is one. ok is false if it has none.
func (e *engine) asksFor(t types.Type) (method string, ok bool) {
	if p, ok := e.catalog.Provider(t); ok {
		return p.Method(), p.Expr != ""
	}
	if provenance.IsContext(t) {
		return "", true
	}
	return "Context", provenance.IsProvider(t)
}

// addRootArguments makes roots of what is registered in this package with
// functions of which the catalog says so: lambda.Start(handle). A value that is
// no function is registered with its methods.
func (e *engine) addRootArguments() {
	for _, f := range e.funcs {
		for _, cs := range f.calls {
			for _, t := range cs.targets {
				if t.Obj == nil {
					continue
				}
				root, ok := e.catalog.RootArgument(t.Obj)
				if i := root.Fn + t.RecvShift(); ok && i < len(t.Args) {
					e.markRoots(&root, t.Args[i])
				}
			}
		}
	}
}

func (e *engine) markRoots(root *catalog.Root, arg ssa.Value) {
	if mi, ok := arg.(*ssa.MakeInterface); ok {
		arg = mi.X
	}
	if !isFunc(arg.Type()) {
		e.markMethods(root, callee.Named(arg.Type()))
		return
	}
	refs, _ := e.calls.Funcs(arg)
	for _, ref := range refs {
		if f := e.bySSA[ref.Fn]; ref.Fn != nil && f != nil {
			f.isRoot(root)
		}
	}
}

func (e *engine) markMethods(root *catalog.Root, t *types.Named) {
	if t == nil || t.Obj().Pkg() != e.pass.Pkg {
		return
	}
	for _, f := range e.funcs {
		if f.obj == nil || !f.obj.Exported() || f.obj.Signature().Recv() == nil || len(f.carriers) == 0 {
			continue
		}
		if n := callee.Named(f.obj.Signature().Recv().Type()); n != nil && n.Obj() == t.Obj() {
			f.isRoot(root)
		}
	}
}

func (f *function) isRoot(root *catalog.Root) {
	if f.root != nil {
		return
	}
	f.root = &request.Root{Name: root.Name, Grade: root.Grade, Param: catalog.None}
	if len(f.carriers) > 0 {
		f.root.Param = f.carriers[0].index
	}
}

// isUnset reports whether the context at hand is a root unless the program puts
// another in its place, and nothing in this package asks for it: then nobody
// counts on it.
func (e *engine) isUnset(hand []carrier) bool {
	if len(hand) == 0 {
		return false
	}
	p, ok := e.catalog.Provider(hand[0].v.Type())
	return ok && p.Unset && !e.usesProvider(hand[0])
}

// usesProvider reports whether the package asks any value of the provider's
// type for its context.
func (e *engine) usesProvider(c carrier) bool {
	asked := func(t callee.Target) bool {
		return t.Obj != nil && t.Obj.Name() == c.method && len(t.Args) == 1 && types.Identical(t.Args[0].Type(), c.v.Type())
	}
	for _, f := range e.funcs {
		for _, cs := range f.calls {
			if slices.ContainsFunc(cs.targets, asked) {
				return true
			}
		}
	}
	return false
}

// deafUse notes a context that does not end with its request and is handed to
// blocking work as if it did.
func (e *engine) deafUse(s lossSite) {
	p, ok := e.deafProvider(s)
	if !ok || e.modeOf(s.f, s.cs) != runsHere {
		return
	}
	if _, quiet := e.silent(&passage{s.f, s.cs, runsHere, s.o}); quiet {
		return
	}
	v, quiet := e.lifetimeVerdict(s, finding.WrongContext, s.f, s.cs.instr.Pos())
	if v == nil || quiet || v.hand == nil {
		return
	}
	v.Deaf, v.Root = p, v.hand.Name()
	e.deaf = append(e.deaf, v)
}

// deafProvider is the type of the deaf context that the site hands to what
// takes any context. Where the callee takes the framework's type, it is the
// callee who hands it on.
func (e *engine) deafProvider(s lossSite) (catalog.Provider, bool) {
	none := catalog.Provider{}
	if s.o.Kind != provenance.Param || !s.o.Deaf || s.o.Bounded {
		return none, false
	}
	owner := e.bySSA[s.o.Fn]
	if owner == nil || s.o.Index >= len(s.o.Fn.Params) {
		return none, false
	}
	p, ok := e.catalog.Provider(s.o.Fn.Params[s.o.Index].Type())
	if !ok || p.Expr == "" || p.Unless == "" || !slices.ContainsFunc(e.atHand(s.f), func(c carrier) bool { return !c.blank() && c.method == p.Method() }) {
		return none, false
	}
	for _, t := range s.cs.targets {
		for _, b := range e.blockingArgs(t, s.cs.instr) {
			if _, same := e.catalog.Provider(b.arg.Type()); !same && slices.Contains(e.trace.Of(b.arg), s.o) {
				return p, true
			}
		}
	}
	return none, false
}

// Engine is where a framework's engine is made, whose requests get contexts of
// a deaf type.
type Engine struct {
	Deaf       catalog.Provider
	Call       string // gin.New()
	Home, Name string // the function that makes it
	Pos, End   token.Pos
}

// DeafEngine is the verdict on an engine that leaves its switch alone, of which
// some functions of the program hand the contexts on (CTX104): one cause, and
// one place to mend it, however many they are.
func DeafEngine(at *Engine, uses []*Verdict) *Verdict {
	typ := at.Deaf.TypeName.String()
	v := &Verdict{
		Code: finding.WrongContext, Home: at.Home, HomeName: at.Name, Pos: at.Pos, End: at.End, Root: at.Call,
		Sink: Sink{Key: typ, Name: typ}, Deaf: at.Deaf, Uses: uses,
	}
	for _, u := range uses {
		v.Grade = max(v.Grade, u.Grade)
		v.AddEntries(u.Entries)
	}
	return v
}

// frameworks lists the engines that this package makes, its tests left out, and
// the deaf types whose switch it touches.
func (e *engine) frameworks(g *Graph) {
	for _, p := range e.catalog.Providers() {
		if engine, field, ok := strings.Cut(p.Unless, "."); ok {
			e.framework(g, p, engine, field)
		}
	}
	slices.SortFunc(g.Engines, func(a, b *Engine) int { return cmp.Compare(a.Pos, b.Pos) })
}

func (e *engine) framework(g *Graph, p catalog.Provider, engine, field string) {
	for id, obj := range e.pass.TypesInfo.Uses {
		if obj.Pkg() == nil || obj.Pkg().Path() != p.Pkg || e.inTest(id.Pos()) {
			continue
		}
		switch obj := obj.(type) {
		case *types.Var:
			if obj.IsField() && obj.Name() == field && !slices.Contains(g.Switched, p.TypeName) {
				g.Switched = append(g.Switched, p.TypeName)
			}
		case *types.Func:
			if makes(obj, engine) {
				g.Engines = append(g.Engines, e.engineAt(p, obj, id))
			}
		}
	}
}

// makes reports whether fn is a function whose first result is, or points to, a
// type of its package.
func makes(fn *types.Func, name string) bool {
	results := fn.Signature().Results()
	if results.Len() == 0 || fn.Signature().Recv() != nil {
		return false
	}
	n := callee.Named(results.At(0).Type())
	return n != nil && n.Obj().Name() == name && n.Obj().Pkg() == fn.Pkg()
}

func (e *engine) engineAt(p catalog.Provider, fn *types.Func, id *ast.Ident) *Engine {
	at := &Engine{
		Deaf: p, Call: callee.ShortName(fn) + "()", Home: e.pass.Pkg.Path() + ".init", Name: "a package variable's initializer",
		Pos: id.Pos(), End: id.End(),
	}
	for _, d := range e.fileOf(id.Pos()).Decls {
		decl, ok := d.(*ast.FuncDecl)
		if !ok || id.Pos() < decl.Pos() || decl.End() <= id.Pos() {
			continue
		}
		if obj, ok := e.pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
			at.Home, at.Name = obj.FullName(), callee.ShortName(obj)
		}
	}
	return at
}

// judgeEngines is the package's own view of its engines.
func (e *engine) judgeEngines(g *Graph) {
	for _, at := range g.Engines {
		uses := slices.DeleteFunc(slices.Clone(e.deaf), func(u *Verdict) bool { return u.Deaf.TypeName != at.Deaf.TypeName })
		if len(uses) > 0 && !slices.Contains(g.Switched, at.Deaf.TypeName) && !e.allows.Allowed(at.Pos, finding.WrongContext) {
			e.verdicts = append(e.verdicts, DeafEngine(at, uses))
			return // one finding, whichever of its engines they come from
		}
	}
}
