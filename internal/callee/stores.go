package callee

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// stores are the values that a package puts into one variable, and where it
// reads them. open is set when a value may get there in a way that was not seen.
type stores struct {
	vals  []ssa.Value
	loads []ssa.Value
	open  bool
}

// collectStores finds, for every unexported field and global of pkg that
// holds a function or an interface, or a map of them, everything that is stored
// there.
//
// Only the declaring package can name an unexported field; writes through
// reflection or unsafe are not considered.
func collectStores(pkg *ssa.Package, fns []*ssa.Function) (map[*types.Var]*stores, map[*ssa.Global]*stores) {
	fields := map[*types.Var]*stores{}
	globs := map[*ssa.Global]*stores{}
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if fa, ok := instr.(*ssa.FieldAddr); ok {
					if f := FieldOf(fa); f != nil && f.Pkg() == pkg.Pkg && !f.Exported() && holdsCallable(f.Type()) {
						addUses(entry(fields, f), fa, fa.Referrers())
					}
				}
				for _, op := range instr.Operands(nil) {
					if g, ok := (*op).(*ssa.Global); ok && g.Pkg == pkg && !token.IsExported(g.Name()) && holdsCallable(elem(g)) {
						one := []ssa.Instruction{instr}
						addUses(entry(globs, g), g, &one)
					}
				}
			}
		}
	}
	return fields, globs
}

func entry[K comparable](m map[K]*stores, k K) *stores {
	if m[k] == nil {
		m[k] = &stores{}
	}
	return m[k]
}

func callable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Signature, *types.Interface:
		return true
	}
	return false
}

// holdsCallable reports whether a type is callable, or a map of such.
func holdsCallable(t types.Type) bool {
	if m, ok := t.Underlying().(*types.Map); ok {
		t = m.Elem()
	}
	return callable(t)
}

func elem(v ssa.Value) types.Type {
	return v.Type().Underlying().(*types.Pointer).Elem()
}

// addUses records what the users of an address do with it.
func addUses(s *stores, addr ssa.Value, refs *[]ssa.Instruction) {
	if refs == nil {
		return
	}
	for _, ref := range *refs {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == addr {
				s.vals = append(s.vals, ref.Val)
			} else {
				s.open = true // the address itself was stored
			}
		case *ssa.UnOp:
			s.loads = append(s.loads, ref)
		case *ssa.DebugRef:
		default:
			s.open = true
		}
	}
}

// FieldOf is the field that the instruction addresses, its origin if the
// struct type is generic.
func FieldOf(fa *ssa.FieldAddr) *types.Var {
	ptr, ok := fa.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	st, ok := ptr.Elem().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	return st.Field(fa.Field).Origin()
}

// StoredIn lists the values stored in a local variable, by its function and
// by closures that capture it. ok is false if its address goes elsewhere.
func StoredIn(a *ssa.Alloc) (vals []ssa.Value, ok bool) {
	return storedThrough(a, a.Referrers(), 0)
}

func storedThrough(addr ssa.Value, refs *[]ssa.Instruction, depth int) (vals []ssa.Value, ok bool) {
	ok = true
	if refs == nil || depth > maxDepth {
		return nil, refs != nil
	}
	for _, ref := range *refs {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr != addr {
				return vals, false
			}
			vals = append(vals, ref.Val)
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			for i, b := range ref.Bindings {
				if b != addr {
					continue
				}
				fv := ref.Fn.(*ssa.Function).FreeVars[i]
				inner, innerOK := storedThrough(fv, fv.Referrers(), depth+1)
				vals, ok = append(vals, inner...), ok && innerOK
			}
		default:
			return vals, false
		}
	}
	return vals, ok
}
