package ctxflow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
)

// This file keeps what the package stores in fields and package variables, for
// counts and calls that are read from there.

// memory is every store of the package to its fields and variables.
type memory struct {
	fields map[*types.Var]*storeSet
	globs  map[*ssa.Global]*storeSet
}

// storeSet is what is stored in one place; open if something may get there unseen.
type storeSet struct {
	vals []ssa.Value
	open bool
}

// fieldStores lists what the package stores in one of its unexported fields.
func (e *engine) fieldStores(f *types.Var) ([]ssa.Value, bool) {
	if f.Exported() || f.Pkg() != e.pass.Pkg {
		return nil, false
	}
	c := e.memory().fields[f]
	if c == nil || c.open {
		return nil, false
	}
	return c.vals, true
}

// storesTo lists what the package stores in one of its variables. An exported
// one counts by its initial value, as a default.
func (e *engine) storesTo(g *ssa.Global) ([]ssa.Value, bool) {
	if g.Pkg != e.pkg {
		return nil, false
	}
	c := e.memory().globs[g]
	if c == nil || c.open || len(c.vals) == 0 {
		return nil, false
	}
	return c.vals, true
}

func (e *engine) memory() *memory {
	if e.stored != nil {
		return e.stored
	}
	m := &memory{fields: map[*types.Var]*storeSet{}, globs: map[*ssa.Global]*storeSet{}}
	e.stored = m
	for _, f := range e.funcs {
		for _, b := range f.ssa.Blocks {
			for _, instr := range b.Instrs {
				m.note(instr, e.pkg)
			}
		}
	}
	return m
}

func (m *memory) note(instr ssa.Instruction, pkg *ssa.Package) {
	if st, ok := instr.(*ssa.Store); ok {
		if g, ok := st.Addr.(*ssa.Global); ok && g.Pkg == pkg {
			c := at(m.globs, g)
			c.vals = append(c.vals, st.Val)
		}
	}
	if up, ok := instr.(*ssa.MapUpdate); ok {
		if u, ok := up.Map.(*ssa.UnOp); ok {
			if g, ok := u.X.(*ssa.Global); ok && g.Pkg == pkg {
				at(m.globs, g).open = true // what it was made with is not all
			}
		}
	}
	if c, ok := instr.(ssa.CallInstruction); ok {
		for _, arg := range c.Common().Args {
			if g, ok := arg.(*ssa.Global); ok && g.Pkg == pkg {
				at(m.globs, g).open = true // set through its address
			}
		}
	}
	fa, ok := instr.(*ssa.FieldAddr)
	if !ok || fa.Referrers() == nil {
		return
	}
	f := callee.FieldOf(fa)
	if f == nil || f.Pkg() != pkg.Pkg {
		return
	}
	c := at(m.fields, f)
	for _, ref := range *fa.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == fa {
				c.vals = append(c.vals, ref.Val)
			} else {
				c.open = true
			}
		case *ssa.UnOp, *ssa.DebugRef, *ssa.FieldAddr:
		case *ssa.Call: // a method on the address of a struct; a quantity's address is given away to be set
			if _, isStruct := f.Type().Underlying().(*types.Struct); !isStruct {
				c.open = true
			}
		default:
			c.open = true
		}
	}
}

func at[K comparable](m map[K]*storeSet, k K) *storeSet {
	if m[k] == nil {
		m[k] = &storeSet{}
	}
	return m[k]
}
