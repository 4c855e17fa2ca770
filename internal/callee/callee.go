// Package callee says which functions a call may run, as far as one package
// can tell: static calls, method values, closures, generic instances, and
// function or interface values held in locals and unexported fields, or in maps
// there, whose every store in the package is of a known concrete value.
//
// What it cannot tell it leaves out; it never guesses from names or types.
package callee

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Target is one function that a call may run.
type Target struct {
	// Fn has a body in the package under analysis, or is nil.
	Fn *ssa.Function
	// Obj is the declared function or method (its origin, if generic), or
	// nil for closures and for function values that are not resolved.
	Obj *types.Func
	// Args are the arguments, the receiver first if Obj is a method, so that
	// they line up with the parameters of an ssa.Function.
	Args []ssa.Value
	// Sig is the signature that Args follow, without the receiver.
	Sig *types.Signature
	// Invoked is set when Obj is an interface's method.
	Invoked bool
}

// Name is how messages call the target.
func (t Target) Name() string {
	if t.Obj != nil {
		return ShortName(t.Obj)
	}
	if t.Fn != nil {
		return t.Fn.Name()
	}
	return "a function value"
}

// RecvShift is 1 if Args start with a receiver, else 0: the index in Args of
// the signature's parameter i is i + RecvShift.
func (t Target) RecvShift() int {
	if t.Obj != nil && t.Obj.Signature().Recv() != nil {
		return 1
	}
	return 0
}

// ShortName is Type.Method or pkg.Func: the name by which a reader of the
// code knows a function.
func ShortName(fn *types.Func) string {
	if recv := fn.Signature().Recv(); recv != nil {
		if name := typeName(recv.Type()); name != "" {
			return name + "." + fn.Name()
		}
		return fn.Name()
	}
	if fn.Pkg() != nil {
		return fn.Pkg().Name() + "." + fn.Name()
	}
	return fn.Name()
}

func typeName(t types.Type) string {
	if n := Named(t); n != nil {
		return n.Obj().Name()
	}
	return ""
}

// Named is the named type that t is or points to, or nil.
func Named(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// Resolver answers for one package. It is not safe for concurrent use.
type Resolver struct {
	prog   *ssa.Program
	pkg    *ssa.Package
	fields map[*types.Var]*stores
	globs  map[*ssa.Global]*stores
}

// New prepares a resolver for pkg, all of whose functions (closures and the
// package initializer included) are fns.
func New(pkg *ssa.Package, fns []*ssa.Function) *Resolver {
	r := &Resolver{prog: pkg.Prog, pkg: pkg}
	r.fields, r.globs = collectStores(pkg, fns)
	return r
}

// Targets lists the functions that the call may run. An unresolved call of an
// interface method gives the method itself; an unresolved call of a function
// value gives one target with neither Fn nor Obj. Calls of built-ins give none.
func (r *Resolver) Targets(c *ssa.CallCommon) []Target {
	if c.IsInvoke() {
		return r.invoke(c)
	}
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return nil
	}
	refs, complete := r.Funcs(c.Value)
	if !complete || len(refs) == 0 {
		return []Target{{Args: c.Args, Sig: c.Signature()}}
	}
	targets := make([]Target, 0, len(refs))
	for _, ref := range refs {
		targets = append(targets, ref.called(c))
	}
	return targets
}

func (r *Resolver) invoke(c *ssa.CallCommon) []Target {
	args := append([]ssa.Value{c.Value}, c.Args...)
	iface := Target{Obj: c.Method.Origin(), Args: args, Sig: c.Signature(), Invoked: true}
	concrete, complete := r.concreteTypes(c.Value)
	if !complete || len(concrete) == 0 {
		return []Target{iface}
	}
	var targets []Target
	for _, t := range concrete {
		obj, _, _ := types.LookupFieldOrMethod(t, true, c.Method.Pkg(), c.Method.Name())
		m, ok := obj.(*types.Func)
		if !ok {
			return []Target{iface}
		}
		targets = append(targets, Target{Fn: r.Body(m), Obj: m.Origin(), Args: args, Sig: c.Signature(), Invoked: types.IsInterface(m.Signature().Recv().Type())})
	}
	return targets
}

// Body is the function's SSA if it has a body in this package.
func (r *Resolver) Body(m *types.Func) *ssa.Function {
	if m.Pkg() != r.pkg.Pkg {
		return nil
	}
	fn := r.prog.FuncValue(m.Origin())
	if fn == nil || fn.Blocks == nil {
		return nil
	}
	return fn
}

// FuncRef is a function used as a value, with the receiver that a method
// value has bound.
type FuncRef struct {
	Fn    *ssa.Function
	Obj   *types.Func
	Bound ssa.Value
}

func (ref FuncRef) called(c *ssa.CallCommon) Target {
	args := c.Args
	if ref.Bound != nil {
		args = append([]ssa.Value{ref.Bound}, args...)
	}
	t := Target{Fn: ref.Fn, Obj: ref.Obj, Args: args, Sig: c.Signature()}
	if ref.Obj != nil {
		t.Sig = ref.Obj.Signature()
		if recv := t.Sig.Recv(); recv != nil {
			t.Invoked = types.IsInterface(recv.Type())
		}
	}
	return t
}
