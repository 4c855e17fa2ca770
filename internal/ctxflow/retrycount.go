package ctxflow

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// This file evaluates numbers of attempts: to constants where every store in
// the package says the same, else to a parameter or a field of one, which the
// callers fill in.

// count is how often a layer calls what it repeats: Attempts, or Add more than
// the value that a parameter has, or one of the fields below it.
type count struct {
	attempts retry.Attempts
	param    *ssa.Parameter // nil if attempts is all there is to say
	path     string         // of fields below param: "cfg.Attempts", or ""
	add      int
}

func known(a retry.Attempts) count { return count{attempts: a} }

// value is what the attempts come to if nobody fills in the parameter.
func (c count) value() retry.Attempts {
	if c.param != nil {
		return retry.Unknown()
	}
	return c.attempts
}

// quantity is the value of an integer in the terms of count. ok is false if
// nothing can be said.
type quantity struct {
	least, most int64
	param       *ssa.Parameter
	path        string
}

func exactly(n int64) (quantity, bool) { return quantity{least: n, most: n}, true }

// plus makes a count of a number of rounds.
func (n quantity) plus(add int64) count {
	if n.param != nil {
		return count{param: n.param, path: n.path, add: int(add)}
	}
	return known(retry.Between(int(n.least+add), int(n.most+add)))
}

func (n quantity) join(m quantity) (quantity, bool) {
	if n.param != nil || m.param != nil {
		return n, n == m
	}
	return quantity{least: min(n.least, m.least), most: max(n.most, m.most)}, true
}

// maxCountDepth bounds the way from a use of a quantity to where it is set.
const maxCountDepth = 12

// numberOf evaluates an integer.
func (e *engine) numberOf(v ssa.Value, depth int) (quantity, bool) {
	if depth > maxCountDepth || v == nil {
		return quantity{}, false
	}
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.Int {
			if n, ok := constant.Int64Val(v.Value); ok {
				return exactly(n)
			}
		}
	case *ssa.Convert:
		return e.numberOf(v.X, depth+1)
	case *ssa.ChangeType:
		return e.numberOf(v.X, depth+1)
	case *ssa.Parameter:
		return quantity{param: v}, true
	case *ssa.FreeVar:
		if b := callee.Bindings(v); len(b) == 1 {
			return e.numberOf(b[0], depth+1)
		}
	case *ssa.Phi:
		return e.numbersOf(v.Edges, v, depth)
	case *ssa.BinOp:
		return e.sumOf(v, depth)
	case *ssa.Call:
		return e.lengthOf(v)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return e.loadedNumber(v.X, depth)
		}
	case *ssa.Field:
		return e.numberIn(v.X, structField(v.X.Type(), v.Field), "", depth+1)
	}
	return quantity{}, false
}

func (e *engine) numbersOf(vs []ssa.Value, self ssa.Value, depth int) (quantity, bool) {
	return joined(vs, func(v ssa.Value) bool { return v == self }, func(v ssa.Value) (quantity, bool) { return e.numberOf(v, depth+1) })
}

// joined is what values have in common, those to skip left out: there must be
// one at least, and every one must be known.
func joined(vs []ssa.Value, skip func(ssa.Value) bool, number func(ssa.Value) (quantity, bool)) (quantity, bool) {
	var out quantity
	first := true
	for _, v := range vs {
		if skip(v) {
			continue
		}
		n, ok := number(v)
		if !ok {
			return quantity{}, false
		}
		if first {
			out, first = n, false
		} else if out, ok = out.join(n); !ok {
			return quantity{}, false
		}
	}
	return out, !first
}

func (e *engine) sumOf(v *ssa.BinOp, depth int) (quantity, bool) {
	if v.Op != token.ADD && v.Op != token.SUB {
		return quantity{}, false
	}
	x, ok := e.numberOf(v.X, depth+1)
	y, ok2 := e.numberOf(v.Y, depth+1)
	if !ok || !ok2 || x.param != nil || y.param != nil {
		return quantity{}, false
	}
	if v.Op == token.SUB {
		return quantity{least: x.least - y.most, most: x.most - y.least}, true
	}
	return quantity{least: x.least + y.least, most: x.most + y.most}, true
}

// lengthOf is the length of a slice that is made of a literal.
func (e *engine) lengthOf(v *ssa.Call) (quantity, bool) {
	b, ok := v.Call.Value.(*ssa.Builtin)
	if !ok || b.Name() != "len" {
		return quantity{}, false
	}
	arg := v.Call.Args[0]
	if u, ok := arg.(*ssa.UnOp); ok && u.Op == token.MUL {
		if g, ok := u.X.(*ssa.Global); ok {
			if vals, ok := e.storesTo(g); ok && len(vals) == 1 {
				arg = vals[0]
			}
		}
	}
	sl, ok := arg.(*ssa.Slice)
	if !ok || sl.Low != nil || sl.High != nil {
		return quantity{}, false
	}
	p, ok := sl.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return quantity{}, false
	}
	arr, ok := p.Elem().Underlying().(*types.Array)
	if !ok {
		return quantity{}, false
	}
	return exactly(arr.Len())
}

// loadedNumber reads a variable: a local or package one by its stores, a flag
// by its default, a field of what is known.
func (e *engine) loadedNumber(addr ssa.Value, depth int) (quantity, bool) {
	switch a := addr.(type) {
	case *ssa.Alloc:
		if vals, ok := callee.StoredIn(a); ok && len(vals) > 0 {
			return e.numbersOf(vals, nil, depth)
		}
	case *ssa.FreeVar:
		for _, b := range callee.Bindings(a) {
			return e.loadedNumber(b, depth+1)
		}
	case *ssa.Global:
		if vals, ok := e.storesTo(a); ok {
			return e.numbersOf(vals, nil, depth)
		}
	case *ssa.FieldAddr:
		return e.numberIn(a.X, callee.FieldOf(a), "", depth+1)
	case *ssa.UnOp: // *retries, of a flag
		if g, ok := a.X.(*ssa.Global); ok {
			if vals, ok := e.storesTo(g); ok && len(vals) == 1 {
				return flagDefault(vals[0])
			}
		}
	case *ssa.Call:
		return flagDefault(a)
	}
	return quantity{}, false
}

// flagDefault is the default of flag.Int and its like.
func flagDefault(v ssa.Value) (quantity, bool) {
	c, ok := v.(*ssa.Call)
	if !ok {
		return quantity{}, false
	}
	fn := c.Call.StaticCallee()
	if fn == nil || fn.Pkg == nil || fn.Pkg.Pkg.Path() != "flag" && !strings.HasSuffix(fn.Pkg.Pkg.Path(), "/pflag") {
		return quantity{}, false
	}
	for _, arg := range c.Call.Args {
		if k, ok := arg.(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.Int {
			if n, ok := constant.Int64Val(k.Value); ok {
				return exactly(n)
			}
		}
	}
	return quantity{}, false
}

// numberIn reads a field, and then those of the path, of the value or of what
// it points to.
func (e *engine) numberIn(base ssa.Value, field *types.Var, path string, depth int) (quantity, bool) {
	if depth > maxCountDepth || field == nil {
		return quantity{}, false
	}
	if path == "" { // every store in the package
		if vals, ok := e.fieldStores(field); ok {
			if n, ok := e.numbersOf(vals, nil, depth); ok && n.param == nil {
				return n, true
			}
		}
	}
	full := field.Name()
	if path != "" {
		full += "." + path
	}
	return e.numberBelow(base, full, depth+1)
}

// numberBelow reads a path of fields below a value or what it points to.
func (e *engine) numberBelow(base ssa.Value, path string, depth int) (quantity, bool) {
	if depth > maxCountDepth {
		return quantity{}, false
	}
	switch b := base.(type) {
	case *ssa.Parameter:
		return quantity{param: b, path: path}, true
	case *ssa.FreeVar:
		if bind := callee.Bindings(b); len(bind) == 1 {
			return e.numberBelow(bind[0], path, depth+1)
		}
	case *ssa.Alloc:
		return e.numberInLocal(b, path, depth)
	case *ssa.MakeInterface:
		return e.numberBelow(b.X, path, depth+1)
	case *ssa.ChangeType:
		return e.numberBelow(b.X, path, depth+1)
	case *ssa.Phi:
		return e.joinBelow(b.Edges, b, path, depth)
	case *ssa.Call:
		if fn := b.Call.StaticCallee(); fn != nil && fn.Blocks != nil && fn.Pkg == e.pkg {
			return e.joinBelow(resultsOf(fn, 0), nil, path, depth)
		}
	case *ssa.Extract:
		if c, ok := b.Tuple.(*ssa.Call); ok {
			if fn := c.Call.StaticCallee(); fn != nil && fn.Blocks != nil && fn.Pkg == e.pkg {
				return e.joinBelow(resultsOf(fn, b.Index), nil, path, depth)
			}
		}
	case *ssa.FieldAddr:
		if f := callee.FieldOf(b); f != nil {
			return e.numberInField(b.X, f, path, depth)
		}
	case *ssa.Field:
		if f := structField(b.X.Type(), b.Field); f != nil {
			return e.numberInField(b.X, f, path, depth)
		}
	case *ssa.UnOp:
		if b.Op != token.MUL {
			break
		}
		switch a := b.X.(type) {
		case *ssa.FieldAddr:
			if f := callee.FieldOf(a); f != nil {
				return e.numberInField(a.X, f, path, depth)
			}
		case *ssa.Alloc:
			return e.numberInLocal(a, path, depth)
		case *ssa.Global:
			if vals, ok := e.storesTo(a); ok {
				return e.joinBelow(vals, nil, path, depth)
			}
		case *ssa.FreeVar:
			if bind := callee.Bindings(a); len(bind) == 1 {
				if alloc, ok := bind[0].(*ssa.Alloc); ok {
					return e.numberInLocal(alloc, path, depth)
				}
			}
		}
	}
	return quantity{}, false
}

// numberInField reads a path below a field that holds a struct or a pointer to
// one: by what the package stores there, else by the value the field is of.
func (e *engine) numberInField(base ssa.Value, field *types.Var, path string, depth int) (quantity, bool) {
	if vals, ok := e.fieldStores(field); ok && len(vals) > 0 {
		if n, ok := e.joinBelow(vals, nil, path, depth); ok && n.param == nil {
			return n, true
		}
	}
	return e.numberBelow(base, field.Name()+"."+path, depth+1)
}

func (e *engine) joinBelow(vals []ssa.Value, self ssa.Value, path string, depth int) (quantity, bool) {
	return joined(vals, func(v ssa.Value) bool { return v == self || isNilConst(v) }, func(v ssa.Value) (quantity, bool) { return e.numberBelow(v, path, depth+1) })
}

// numberInLocal reads a path below a local struct: a composite literal, or a
// variable that holds one value.
func (e *engine) numberInLocal(a *ssa.Alloc, path string, depth int) (quantity, bool) {
	name, rest, _ := strings.Cut(path, ".")
	var vals, whole []ssa.Value
	if a.Referrers() == nil {
		return quantity{}, false
	}
	for _, ref := range *a.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == a {
				whole = append(whole, ref.Val)
			}
		case *ssa.FieldAddr:
			f := callee.FieldOf(ref)
			if f == nil || f.Name() != name || ref.Referrers() == nil {
				continue
			}
			for _, use := range *ref.Referrers() {
				switch use := use.(type) {
				case *ssa.Store:
					if use.Addr == ref {
						vals = append(vals, use.Val)
					}
				case *ssa.FieldAddr: // a struct inside the struct
					if n, ok := e.nestedStore(use, rest, depth); ok {
						return n, true
					}
				}
			}
		}
	}
	switch {
	case len(vals) > 0 && rest == "":
		return e.numbersOf(vals, nil, depth)
	case len(vals) > 0:
		return e.joinBelow(vals, nil, rest, depth)
	case len(whole) == 1:
		return e.numberBelow(whole[0], path, depth+1)
	}
	return quantity{}, false
}

func (e *engine) nestedStore(fa *ssa.FieldAddr, path string, depth int) (quantity, bool) {
	f := callee.FieldOf(fa)
	if f == nil || f.Name() != path || fa.Referrers() == nil {
		return quantity{}, false
	}
	for _, use := range *fa.Referrers() {
		if st, ok := use.(*ssa.Store); ok && st.Addr == fa {
			return e.numberOf(st.Val, depth+1)
		}
	}
	return quantity{}, false
}

func structField(t types.Type, i int) *types.Var {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if st, ok := t.Underlying().(*types.Struct); ok {
		return st.Field(i).Origin()
	}
	return nil
}

func isNilConst(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

func resultsOf(fn *ssa.Function, i int) []ssa.Value {
	var out []ssa.Value
	for _, ret := range returns(fn) {
		out = append(out, ret.Results[i])
	}
	return out
}
