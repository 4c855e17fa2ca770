package fix

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
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
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || l.use.Method == "" || sel.Sel.Name != l.use.Method || len(call.Args) > 0 {
		return false
	}
	v := variable(l.info, sel.X)
	return v != nil && l.heirs[v]
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

// trust returns an error unless v certainly holds the context at hand, alive,
// when the call is reached.
func (l *lineage) trust(v *types.Var) error {
	h := l.hs.of(v)
	if h.opaque {
		return fmt.Errorf("%s is written where it cannot be followed", v.Name())
	}
	if !h.param && len(h.writes) == 0 {
		return fmt.Errorf("%s is declared without a value that could be followed", v.Name())
	}
	for _, w := range h.writes {
		// What the variable of the caller's choice starts with is the
		// caller's knowledge, unless it is nothing.
		if w.declares && v == l.use.Var && w.value != nil {
			continue
		}
		if !l.derived(w.value) {
			return fmt.Errorf("%s is assigned something else as well", v.Name())
		}
	}
	if l.nilable(h) {
		return fmt.Errorf("%s may be nil", v.Name())
	}
	if l.ended(v, make(map[*types.Var]bool)) {
		return errors.New("the context is already done here")
	}
	return nil
}

// nilable reports whether the code itself reckons with nil here.
func (l *lineage) nilable(h *history) bool {
	return slices.ContainsFunc(h.nilTests, func(t nilTest) bool {
		return t.guard == nil || t.guard.End() > l.place.call.Pos()
	})
}

// ended reports whether v, or a context that it derives from, may be cancelled
// before the call: cancel() or group.Wait() comes before it in the source or
// round a loop, and is not deferred.
func (l *lineage) ended(v *types.Var, seen map[*types.Var]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	for _, w := range l.hs.of(v).writes {
		for _, s := range w.siblings {
			if slices.ContainsFunc(l.hs.of(s).calls, func(c call) bool { return l.precedes(c, w) }) {
				return true
			}
		}
		for _, parent := range l.mentioned(w.value) {
			if l.ended(parent, seen) {
				return true
			}
		}
	}
	return false
}

// precedes reports whether c, which ends the context made by w, may run before
// the call that is to be replaced.
func (l *lineage) precedes(c call, w write) bool {
	if c.deferred {
		return false
	}
	if c.node.Pos() < l.place.call.Pos() {
		return true
	}
	return slices.ContainsFunc(l.place.path, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return within(c.node, n) && !within(w.value, n)
		}
		return false
	})
}

func within(inner, outer ast.Node) bool {
	return outer.Pos() <= inner.Pos() && inner.End() <= outer.End()
}

// mentioned returns the heirs in an expression.
func (l *lineage) mentioned(e ast.Expr) []*types.Var {
	if e == nil {
		return nil
	}
	var vs []*types.Var
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v := variable(l.info, id); v != nil && l.heirs[v] {
				vs = append(vs, v)
			}
		}
		return true
	})
	return vs
}

// resolve returns the variable that the name of the wanted one means at the
// call: the wanted one itself, or one that shadows it and derives from it, as in
//
//	ctx, cancel := context.WithTimeout(ctx, limit)
//
// which is then the better context.
func (l *lineage) resolve(pkg *types.Package) (*types.Var, error) {
	want := l.use.Var
	pos := l.place.call.Pos()
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
