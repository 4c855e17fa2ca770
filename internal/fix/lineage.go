package fix

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// lineage decides by syntax which values of a declaration derive from the
// context at hand.
type lineage struct {
	info  *types.Info
	use   Expr
	place *place
	hs    histories
	heirs map[*types.Var]bool
}

func newLineage(info *types.Info, use Expr, p *place) *lineage {
	l := &lineage{info: info, use: use, place: p, hs: record(info, p.decl)}
	l.findHeirs()
	return l
}

// findHeirs computes the variables that hold nothing but derived values. It is
// a greatest fixed point: all candidates are taken for heirs, and those with a
// write that contradicts leave until none does. So ctx = f(ctx) is no
// contradiction, and every heir still owes its first value to the root, since
// a variable without a value has the zero value written.
func (l *lineage) findHeirs() {
	l.heirs = map[*types.Var]bool{l.use.Var: true}
	for v, h := range l.hs {
		if !h.param && !h.opaque && len(h.writes) > 0 && (isContext(v.Type()) || types.Identical(v.Type(), l.use.Var.Type())) {
			l.heirs[v] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for v := range l.heirs {
			if v != l.use.Var && !l.inherits(v) {
				delete(l.heirs, v)
				changed = true
			}
		}
	}
}

func (l *lineage) inherits(v *types.Var) bool {
	return !slices.ContainsFunc(l.hs.of(v).writes, func(w write) bool { return !l.derived(w.value) })
}

// derived reports whether the value of e is the context at hand, the variable
// that provides it, or the result of a call that derives from it. A call counts
// if every context among its arguments is derived, and at least one argument
// is: WithValue(Background(), key, ctx) is not. The call that is about to be
// replaced counts as what replaces it.
func (l *lineage) derived(e ast.Expr) bool {
	if e == nil {
		return false
	}
	e = ast.Unparen(e)
	if v := variable(l.info, e); v != nil {
		return l.heirs[v]
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	if call == l.place.call || l.provides(call) {
		return true
	}
	if l.detaches(call) {
		return false
	}
	some := false
	for _, arg := range call.Args {
		switch {
		case l.derived(arg):
			some = true
		case isContext(l.info.TypeOf(arg)):
			return false
		}
	}
	return some
}

// provides reports whether the call is r.Context() for an heir r.
func (l *lineage) provides(call *ast.CallExpr) bool {
	if l.use.Method == "" {
		return false
	}
	base, ok := chainBase(call, strings.Split(l.use.Method+"()", "."))
	if !ok {
		return false
	}
	v := variable(l.info, base)
	return v != nil && l.heirs[v]
}

// chainBase cuts a chain of fields and calls without arguments off the end of
// an expression.
func chainBase(e ast.Expr, steps []string) (base ast.Expr, ok bool) {
	for i := len(steps) - 1; i >= 0; i-- {
		name, called := strings.CutSuffix(steps[i], "()")
		e = ast.Unparen(e)
		if called {
			call, ok := e.(*ast.CallExpr)
			if !ok || len(call.Args) > 0 {
				return nil, false
			}
			e = ast.Unparen(call.Fun)
		}
		sel, ok := e.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != name {
			return nil, false
		}
		e = sel.X
	}
	return e, true
}

// detaches reports whether the call is context.WithoutCancel, whose result
// keeps the values of its parent and not its life.
func (l *lineage) detaches(call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := l.info.Uses[sel.Sel].(*types.Func)
	return ok && fn.FullName() == "context.WithoutCancel"
}

// resolve returns the variable that the name of the wanted one means at the
// call: the wanted one itself, or one that shadows it and derives from it, as in
//
//	ctx, cancel := context.WithTimeout(ctx, limit)
//
// which is then the better context.
func (l *lineage) resolve(pkg *types.Package) (*types.Var, error) {
	want := l.use.Var
	pos := l.place.node.Pos()
	scope := pkg.Scope().Innermost(pos)
	if scope == nil {
		return nil, errors.New("the call is in no scope")
	}
	_, obj := scope.LookupParent(want.Name(), pos)
	got, ok := obj.(*types.Var)
	switch {
	case !ok:
		return nil, fmt.Errorf("%s is not in scope", want.Name())
	case got == want:
		return got, nil
	case !l.heirs[got] || !types.Identical(got.Type(), want.Type()):
		return nil, fmt.Errorf("%s means something else here", want.Name())
	}
	return got, nil
}
