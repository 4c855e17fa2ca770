package provenance

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// guarded reports whether the way into block, below the dominator top, has
// tested a context or a provider against nil, or the ok of a comma-ok read:
// a root that arises there is a default for callers that gave nothing.
// next, if not nil, is where control goes after block, for tests at its end.
func guarded(block, next, top *ssa.BasicBlock) bool {
	if next != nil && testsMissing(block, next) {
		return true
	}
	for b := block; b != nil && b != top; b = b.Idom() {
		if len(b.Preds) == 1 && testsMissing(b.Preds[0], b) {
			return true
		}
	}
	return false
}

// Guarded reports whether control comes to a return only after a context or a
// provider was found to be nil or missing.
func (t *Tracer) Guarded(ret *ssa.Return) bool {
	return guarded(ret.Block(), nil, ret.Parent().Blocks[0])
}

// testsMissing reports whether the branch from b to succ is taken when a
// context, a provider, or an ok was found missing.
func testsMissing(b, succ *ssa.BasicBlock) bool {
	if len(b.Instrs) == 0 {
		return false
	}
	branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok || b.Succs[0] == b.Succs[1] {
		return false
	}
	return missing(branch.Cond, b.Succs[0] == succ)
}

// missing reports whether cond having the value says that something is nil or not ok.
func missing(cond ssa.Value, value bool) bool {
	switch c := cond.(type) {
	case *ssa.UnOp:
		return c.Op == token.NOT && missing(c.X, !value)
	case *ssa.BinOp:
		isNil := (c.Op == token.EQL && value) || (c.Op == token.NEQ && !value)
		return isNil && (nilTest(c.X, c.Y) || nilTest(c.Y, c.X))
	case *ssa.Extract:
		return !value && isBool(c.Type()) && yieldsContext(c.Tuple)
	}
	return false
}

func nilTest(x, y ssa.Value) bool {
	c, ok := y.(*ssa.Const)
	return ok && c.IsNil() && (Carries(x.Type()) || holdsContext(x.Type()))
}

// holdsContext reports whether t is a struct, or a pointer to one, with a
// context in it: options whose absence means that there is no context.
func holdsContext(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range st.NumFields() {
		if Carries(st.Field(i).Type()) {
			return true
		}
	}
	return false
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool
}

// yieldsContext reports whether a comma-ok tuple's first value is or provides a context.
func yieldsContext(tuple ssa.Value) bool {
	tt, ok := tuple.Type().(*types.Tuple)
	return ok && tt.Len() > 0 && Carries(tt.At(0).Type())
}
