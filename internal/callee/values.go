package callee

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// maxDepth bounds the walk from a value back to where it was made. Deeper
// chains are left unresolved.
const maxDepth = 12

// Funcs lists the functions that a function value may be. complete is false
// if it may be another one as well.
func (r *Resolver) Funcs(v ssa.Value) (refs []FuncRef, complete bool) {
	w := walk[FuncRef]{r: r, seen: map[ssa.Value]bool{}}
	w.leaf = func(v ssa.Value) (FuncRef, leafKind) {
		switch v := v.(type) {
		case *ssa.Function:
			return r.ref(v, nil), isLeaf
		case *ssa.MakeClosure:
			fn := v.Fn.(*ssa.Function)
			var bound ssa.Value
			if fn.Synthetic != "" && fn.Parent() == nil && len(v.Bindings) == 1 {
				bound = v.Bindings[0] // a method value x.M
			}
			return r.ref(fn, bound), isLeaf
		}
		return FuncRef{}, notLeaf
	}
	complete = w.visit(v, 0)
	return w.out, complete
}

// ref names the function behind fn, looking through the wrappers that SSA
// makes for method values, method expressions and generic instances.
func (r *Resolver) ref(fn *ssa.Function, bound ssa.Value) FuncRef {
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	obj, _ := fn.Object().(*types.Func)
	if obj == nil {
		return FuncRef{Fn: bodied(fn, r.pkg)}
	}
	obj = obj.Origin()
	if fn.Synthetic != "" { // bound, thunk or promotion wrapper: the method itself is meant
		return FuncRef{Fn: r.Body(obj), Obj: obj, Bound: bound}
	}
	return FuncRef{Fn: bodied(fn, r.pkg), Obj: obj}
}

func bodied(fn *ssa.Function, pkg *ssa.Package) *ssa.Function {
	if fn.Blocks == nil || fn.Pkg != pkg {
		return nil
	}
	return fn
}

// concreteTypes lists the types that an interface value may hold.
func (r *Resolver) concreteTypes(v ssa.Value) (ts []types.Type, complete bool) {
	w := walk[types.Type]{r: r, seen: map[ssa.Value]bool{}}
	w.leaf = func(v ssa.Value) (types.Type, leafKind) {
		switch v := v.(type) {
		case *ssa.MakeInterface:
			return v.X.Type(), isLeaf
		case *ssa.Const: // nil: calling it panics, so it adds no callee
			return nil, isNothing
		}
		return nil, notLeaf
	}
	complete = w.visit(v, 0)
	return w.out, complete
}

type leafKind uint8

const (
	notLeaf leafKind = iota
	isLeaf
	isNothing
)

// walk follows a value back through copies, merges, locals, captured
// variables, unexported fields and globals, and maps in those, to the leaves that
// made it.
type walk[T any] struct {
	r      *Resolver
	seen   map[ssa.Value]bool
	tables map[*stores]bool // variables whose maps are followed
	leaf   func(ssa.Value) (T, leafKind)
	out    []T
}

// visit reports whether every source of v was understood.
func (w *walk[T]) visit(v ssa.Value, depth int) bool {
	if w.seen[v] {
		return true
	}
	if depth > maxDepth {
		return false
	}
	w.seen[v] = true
	if got, kind := w.leaf(v); kind != notLeaf {
		if kind == isLeaf {
			w.out = append(w.out, got)
		}
		return true
	}
	switch v := v.(type) {
	case *ssa.ChangeType:
		return w.visit(v.X, depth+1)
	case *ssa.ChangeInterface:
		return w.visit(v.X, depth+1)
	case *ssa.MakeInterface:
		return w.visit(v.X, depth+1)
	case *ssa.Phi:
		return w.all(v.Edges, depth)
	case *ssa.FreeVar:
		return w.all(Bindings(v), depth)
	case *ssa.UnOp:
		return w.load(v.X, depth)
	case *ssa.Call:
		return w.returned(v, 0, depth)
	case *ssa.Lookup:
		return w.table(v.X, depth+1)
	case *ssa.Extract:
		return w.extract(v, depth)
	case *ssa.Const:
		return v.IsNil()
	}
	return false
}

// extract follows one result of a call, or an element of a map that was looked up
// or gone over.
func (w *walk[T]) extract(v *ssa.Extract, depth int) bool {
	switch tuple := v.Tuple.(type) {
	case *ssa.Call:
		return w.returned(tuple, v.Index, depth)
	case *ssa.Lookup:
		return v.Index == 0 && w.table(tuple.X, depth+1)
	case *ssa.Next:
		over, ok := tuple.Iter.(*ssa.Range)
		return ok && v.Index == 2 && w.table(over.X, depth+1)
	}
	return false
}

// table follows the elements of a map: everything that is put into it, where it
// is made and wherever else the package reads the variable that holds it.
func (w *walk[T]) table(m ssa.Value, depth int) bool {
	if w.seen[m] {
		return true
	}
	if depth > maxDepth {
		return false
	}
	w.seen[m] = true
	switch m := m.(type) {
	case *ssa.MakeMap:
		return w.entries(m, depth)
	case *ssa.Const:
		return m.IsNil()
	case *ssa.UnOp:
		switch addr := m.X.(type) {
		case *ssa.FieldAddr:
			return w.tablesIn(w.r.fields[FieldOf(addr)], depth)
		case *ssa.Global:
			return w.tablesIn(w.r.globs[addr], depth)
		}
	}
	return false
}

// tablesIn follows the elements of the maps that a variable holds.
func (w *walk[T]) tablesIn(s *stores, depth int) bool {
	if s == nil || s.open || len(s.vals) == 0 {
		return false
	}
	if w.tables[s] {
		return true
	}
	if w.tables == nil {
		w.tables = map[*stores]bool{}
	}
	w.tables[s] = true
	for _, m := range s.vals {
		if !w.table(m, depth+1) {
			return false
		}
	}
	for _, m := range s.loads {
		if !w.entries(m, depth+1) {
			return false
		}
	}
	return true
}

// entries follows what is put into a map through one value that is the map. It
// reports false if the map goes where that is not seen.
func (w *walk[T]) entries(m ssa.Value, depth int) bool {
	for _, ref := range *m.Referrers() {
		switch ref := ref.(type) {
		case *ssa.MapUpdate:
			if ref.Map != m || !w.visit(ref.Value, depth+1) {
				return false
			}
		case *ssa.Store:
			var held *stores
			switch addr := ref.Addr.(type) {
			case *ssa.FieldAddr:
				held = w.r.fields[FieldOf(addr)]
			case *ssa.Global:
				held = w.r.globs[addr]
			}
			if !w.tablesIn(held, depth+1) {
				return false
			}
		case *ssa.Call:
			if _, ok := ref.Call.Value.(*ssa.Builtin); !ok {
				return false
			}
		case *ssa.Lookup, *ssa.Range, *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

// returned follows what a function of this package returns.
func (w *walk[T]) returned(call *ssa.Call, result, depth int) bool {
	fn := call.Call.StaticCallee()
	if fn == nil || bodied(fn, w.r.pkg) == nil {
		return false
	}
	var vals []ssa.Value
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			vals = append(vals, ret.Results[result])
		}
	}
	return w.all(vals, depth)
}

func (w *walk[T]) all(vs []ssa.Value, depth int) bool {
	if len(vs) == 0 {
		return false
	}
	ok := true
	for _, v := range vs {
		ok = w.visit(v, depth+1) && ok
	}
	return ok
}

// load follows a read through addr to everything that was stored there.
func (w *walk[T]) load(addr ssa.Value, depth int) bool {
	switch a := addr.(type) {
	case *ssa.Alloc:
		vals, ok := StoredIn(a)
		return ok && w.all(vals, depth)
	case *ssa.FreeVar:
		var vals []ssa.Value
		for _, b := range Bindings(a) {
			alloc, ok := b.(*ssa.Alloc)
			if !ok {
				return w.load(b, depth+1)
			}
			stored, ok := StoredIn(alloc)
			if !ok {
				return false
			}
			vals = append(vals, stored...)
		}
		return w.all(vals, depth)
	case *ssa.FieldAddr:
		s := w.r.fields[FieldOf(a)]
		return s != nil && !s.open && w.all(s.vals, depth)
	case *ssa.Global:
		s := w.r.globs[a]
		return s != nil && !s.open && w.all(s.vals, depth)
	}
	return false
}

// Bindings lists what a closure's free variable is bound to where the
// closure is made.
func Bindings(fv *ssa.FreeVar) []ssa.Value {
	fn := fv.Parent()
	if fn.Referrers() == nil {
		return nil
	}
	idx := -1
	for i, f := range fn.FreeVars {
		if f == fv {
			idx = i
		}
	}
	var out []ssa.Value
	for _, ref := range *fn.Referrers() {
		if mc, ok := ref.(*ssa.MakeClosure); ok && idx >= 0 && mc.Fn == fn {
			out = append(out, mc.Bindings[idx])
		}
	}
	return out
}

// GlobalStores lists everything that the package stores in an unexported
// global that holds a function or an interface. ok is false if a value may
// get there unseen.
func (r *Resolver) GlobalStores(g *ssa.Global) (vals []ssa.Value, ok bool) {
	s := r.globs[g]
	if s == nil || s.open {
		return nil, false
	}
	return s.vals, true
}

// FieldStores lists everything that the package stores in an unexported field
// that holds a function or an interface. ok is false if a value may get there
// unseen.
func (r *Resolver) FieldStores(f *types.Var) (vals []ssa.Value, ok bool) {
	s := r.fields[f]
	if s == nil || s.open {
		return nil, false
	}
	return s.vals, true
}
