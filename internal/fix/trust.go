package fix

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
)

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
		return t.guard == nil || t.guard.End() > l.place.node.Pos()
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
	if c.deferred || l.onTheWayOut(c) {
		return false
	}
	if c.node.Pos() < l.place.node.Pos() {
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

// onTheWayOut reports whether the function is left right after c, as in
//
//	if err != nil { cancel(); return err }
func (l *lineage) onTheWayOut(c call) bool {
	path, _ := astutil.PathEnclosingInterval(l.place.file, c.node.Pos(), c.node.End())
	for i, n := range path {
		if within(l.place.node, n) {
			return false
		}
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			if _, ok := path[i+1].(*ast.FuncLit); ok {
				return false // only the literal is left
			}
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		if returns(list) {
			return true
		}
	}
	return false
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
