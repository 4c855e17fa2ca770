package errflow

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/retry"
)

type kind uint8

const (
	anything kind = iota
	anError       // an error, a status or a status code
	aBool
	anInt
)

// Value is what an expression can be under an assumption.
type Value struct {
	kind kind
	// Errs are the classes that an error or a code can have; OK is nil.
	Errs retry.ErrorSet
	// marks are types and sentinels that are certainly in the error's chain,
	// separated by spaces.
	marks string
	// lacks are some that certainly are not.
	lacks   string
	yes, no bool // what a bool can be
	num     int64
}

// Error is an error of the given classes whose chain has the marks.
func Error(errs retry.ErrorSet, marks ...string) Value {
	slices.Sort(marks)
	return Value{kind: anError, Errs: errs, marks: strings.Join(slices.Compact(marks), " ")}
}

// Lacking is the error, in whose chain the marks are not.
func (v Value) Lacking(marks ...string) Value {
	slices.Sort(marks)
	v.lacks = strings.Join(slices.Compact(marks), " ")
	return v
}

// Any is an error of which nothing is known.
func Any() Value { return Error(retry.AnyError | retry.Errors(retry.OK)) }

// IsError reports whether the value is a known error.
func (v Value) IsError() bool { return v.kind == anError }

// Marks lists the types and sentinels that are certainly in the chain.
func (v Value) Marks() []string { return strings.Fields(v.marks) }

func truth(b bool) Value { return Value{kind: aBool, yes: b, no: !b} }

// may reports whether a condition can have the value.
func (v Value) may(b bool) bool {
	if v.kind != aBool {
		return true
	}
	return b && v.yes || !b && v.no
}

// Must reports whether the value is certainly the given bool.
func (v Value) Must(b bool) bool { return v.kind == aBool && !v.may(!b) }

func (v Value) String() string {
	switch v.kind {
	case anError:
		return fmt.Sprintf("%x{%s!%s}", uint32(v.Errs), v.marks, v.lacks)
	case aBool:
		return fmt.Sprintf("%t/%t", v.yes, v.no)
	case anInt:
		return fmt.Sprint(v.num)
	}
	return "?"
}

// join is what a value is if it is one of two.
func (v Value) join(w Value) Value {
	if v.kind != w.kind {
		return Value{}
	}
	switch v.kind {
	case anError:
		out := Value{kind: anError, Errs: v.Errs | w.Errs}
		switch { // nil has no chain
		case v.Errs == retry.Errors(retry.OK):
			out.marks, out.lacks = w.marks, w.lacks
		case w.Errs == retry.Errors(retry.OK):
			out.marks, out.lacks = v.marks, v.lacks
		default:
			out.marks, out.lacks = common(v.marks, w.marks), common(v.lacks, w.lacks)
		}
		return out
	case aBool:
		return Value{kind: aBool, yes: v.yes || w.yes, no: v.no || w.no}
	case anInt:
		if v.num == w.num {
			return v
		}
	}
	return Value{}
}

func common(a, b string) string {
	var out []string
	for _, m := range strings.Fields(a) {
		if slices.Contains(strings.Fields(b), m) {
			out = append(out, m)
		}
	}
	return strings.Join(out, " ")
}

// maxDepth bounds the walk into an expression and into predicates.
const maxDepth = 8

// Value evaluates an expression.
func (r *run) Value(v ssa.Value) Value { return r.value(v, 0) }

func (r *run) value(v ssa.Value, depth int) Value {
	if val, ok := r.env[v]; ok {
		return val
	}
	if r.a.Param != nil && v == r.a.Param {
		return r.a.Err
	}
	if depth > maxDepth {
		return unknown(v)
	}
	switch v := v.(type) {
	case *ssa.Const:
		return constantValue(v)
	case *ssa.Phi:
		return r.merged(v.Edges, v, depth)
	case *ssa.Extract:
		if c, ok := v.Tuple.(*ssa.Call); ok {
			return r.result(c, v.Index, depth)
		}
		if ta, ok := v.Tuple.(*ssa.TypeAssert); ok {
			return r.asserted(ta, v.Index, depth)
		}
		if l, ok := v.Tuple.(*ssa.Lookup); ok {
			return r.lookedUp(l, v.Index == 1, depth)
		}
	case *ssa.Lookup:
		return r.lookedUp(v, false, depth)
	case *ssa.Call:
		return r.result(v, 0, depth)
	case *ssa.MakeInterface:
		return r.made(v, depth)
	case *ssa.ChangeInterface:
		return r.value(v.X, depth+1)
	case *ssa.ChangeType:
		return r.value(v.X, depth+1)
	case *ssa.UnOp:
		switch v.Op {
		case token.NOT:
			x := r.value(v.X, depth+1)
			return Value{kind: x.kind, yes: x.no, no: x.yes}
		case token.MUL:
			return r.load(v, depth)
		}
	case *ssa.BinOp:
		return r.compare(v, depth)
	}
	return unknown(v)
}

func unknown(v ssa.Value) Value {
	if isError(v.Type()) {
		return Any()
	}
	return Value{}
}

func (r *run) merged(edges []ssa.Value, self ssa.Value, depth int) Value {
	var out Value
	first := true
	for _, e := range edges {
		if e == self {
			continue
		}
		val := r.value(e, depth+2)
		if first {
			out, first = val, false
		} else {
			out = out.join(val)
		}
	}
	return out
}

func constantValue(c *ssa.Const) Value {
	switch {
	case c.IsNil() && isError(c.Type()):
		return Error(retry.Errors(retry.OK))
	case c.Value == nil:
		return Value{}
	case isNamed(c.Type(), "google.golang.org/grpc/codes", "Code"):
		if n, ok := constant.Int64Val(c.Value); ok && n >= 0 && n <= int64(retry.Unauthenticated) {
			return Error(retry.Errors(retry.Class(n)))
		}
	case c.Value.Kind() == constant.Bool:
		return truth(constant.BoolVal(c.Value))
	case c.Value.Kind() == constant.Int:
		if n, ok := constant.Int64Val(c.Value); ok {
			return Value{kind: anInt, num: n}
		}
	}
	return Value{}
}

// lookedUp is what a map of codes says of one: whether it is in, or which bool
// stands there. The map must hold what it was made with.
func (r *run) lookedUp(l *ssa.Lookup, in bool, depth int) Value {
	code := r.value(l.Index, depth+1)
	if code.kind != anError {
		return Value{}
	}
	m, ok := r.flow.held(l.X).(*ssa.MakeMap)
	if !ok || m.Referrers() == nil {
		return Value{}
	}
	var yes retry.ErrorSet
	for _, ref := range *m.Referrers() {
		up, ok := ref.(*ssa.MapUpdate)
		if !ok {
			continue
		}
		key := r.value(up.Key, depth+1)
		if key.kind != anError {
			return Value{}
		}
		if in {
			yes |= key.Errs
			continue
		}
		val := r.value(up.Value, depth+1)
		if val.kind != aBool || val.yes == val.no {
			return Value{}
		}
		if val.yes {
			yes |= key.Errs
		}
	}
	return memberOf(code, yes)
}

// memberOf says whether a code is one of a set.
func memberOf(code Value, set retry.ErrorSet) Value {
	return Value{kind: aBool, yes: code.Errs.Meets(set), no: !code.Errs.In(set)}
}

// held is the value itself, or what a variable of the package only ever holds.
func (f *Flow) held(v ssa.Value) ssa.Value {
	if u, ok := v.(*ssa.UnOp); ok && u.Op == token.MUL {
		if g, ok := u.X.(*ssa.Global); ok && f.Only != nil {
			if val, ok := f.Only(g); ok {
				return val
			}
		}
	}
	return v
}

// load reads a variable: a local one by what was stored on the way here, a
// package's error by its name.
func (r *run) load(v *ssa.UnOp, depth int) Value {
	switch addr := v.X.(type) {
	case *ssa.Alloc:
		if val, ok := r.env[addr]; ok {
			return val
		}
	case *ssa.Global:
		if isError(v.Type()) {
			return sentinel(addr)
		}
	case *ssa.FieldAddr:
		if r.a.Status != 0 && isResponseStatus(addr) {
			return Value{kind: anInt, num: r.a.Status}
		}
	}
	return unknown(v)
}

func isResponseStatus(fa *ssa.FieldAddr) bool {
	p, ok := types.Unalias(fa.X.Type()).(*types.Pointer)
	if !ok || !isNamed(p.Elem(), "net/http", "Response") {
		return false
	}
	st, ok := p.Elem().Underlying().(*types.Struct)
	return ok && st.Field(fa.Field).Name() == "StatusCode"
}

func sentinel(g *ssa.Global) Value {
	if g.Pkg == nil {
		return Any()
	}
	name := g.Pkg.Pkg.Path() + "." + g.Name()
	switch name {
	case "context.Canceled":
		return Error(retry.Errors(retry.ContextCanceled), name)
	case "context.DeadlineExceeded":
		return Error(retry.Errors(retry.ContextDeadline), name)
	}
	return Error(retry.Errors(retry.Plain), name)
}

// made is an error of a concrete type: the type is in its chain, and so is the
// error that it holds, if it holds one.
func (r *run) made(v *ssa.MakeInterface, depth int) Value {
	if !isError(v.Type()) {
		return Value{}
	}
	mark := TypeMark(v.X.Type())
	errs, marks := retry.Errors(retry.Plain), []string{mark}
	if inner := heldError(v.X); inner != nil {
		val := r.value(inner, depth+1)
		if val.kind == anError {
			errs, marks = val.Errs.Minus(retry.Errors(retry.OK)), append(marks, val.Marks()...)
			if errs == 0 {
				errs = retry.Errors(retry.Plain)
			}
		}
	}
	if _, isPtr := types.Unalias(v.X.Type()).(*types.Pointer); isPtr && hasStatus(v.X.Type()) || hasStatus(v.X.Type()) {
		errs = retry.AnyError
	}
	return Error(errs, marks...)
}

// hasStatus reports whether errors of the type say their status themselves.
func hasStatus(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "GRPCStatus")
	_, ok := obj.(*types.Func)
	return ok
}

// TypeMark is the mark of errors of a type.
func TypeMark(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	return strings.ReplaceAll(types.TypeString(t, nil), " ", "")
}

// heldError is the error stored in a struct that is made in sight, or nil.
func heldError(v ssa.Value) ssa.Value {
	if u, ok := v.(*ssa.UnOp); ok && u.Op == token.MUL {
		v = u.X
	}
	a, ok := v.(*ssa.Alloc)
	if !ok || a.Referrers() == nil {
		return nil
	}
	for _, ref := range *a.Referrers() {
		fa, ok := ref.(*ssa.FieldAddr)
		if !ok || fa.Referrers() == nil {
			continue
		}
		for _, use := range *fa.Referrers() {
			if st, ok := use.(*ssa.Store); ok && st.Addr == fa && isError(st.Val.Type()) {
				return st.Val
			}
		}
	}
	return nil
}

// asserted is the result of err.(T): whether it holds is known where T is, or
// is not, in the error's marks and the error wraps nothing else.
func (r *run) asserted(ta *ssa.TypeAssert, index, depth int) Value {
	x := r.value(ta.X, depth+1)
	if index != 1 || x.kind != anError {
		return Value{}
	}
	if x.Errs.In(codes|retry.ContextEnd) && x.marks == "" && bare(ta.AssertedType) {
		return truth(false)
	}
	return r.has(x, TypeMark(ta.AssertedType))
}

// bare reports whether errors of the type neither wrap others nor have a
// status, so that one is no status and no end of a context.
func bare(t types.Type) bool {
	if types.IsInterface(t) {
		return false
	}
	for _, method := range []string{"Unwrap", "Cause", "Is", "GRPCStatus", "Code"} {
		if obj, _, _ := types.LookupFieldOrMethod(t, true, nil, method); obj != nil {
			return false
		}
	}
	return true
}

// has says whether a mark is in an error's chain.
func (r *run) has(x Value, mark string) Value {
	switch {
	case x.Errs == retry.Errors(retry.OK), x.Errs == 0, slices.Contains(strings.Fields(x.lacks), mark):
		return truth(false)
	case slices.Contains(x.Marks(), mark):
		if x.Errs.Has(retry.OK) {
			return Value{}
		}
		return truth(true)
	case x.Errs.In(retry.Errors(retry.OK, retry.Opaque)) && x.marks == "":
		return truth(false)
	}
	return Value{}
}

func (r *run) compare(v *ssa.BinOp, depth int) Value {
	if v.Op == token.LOR || v.Op == token.LAND {
		return Value{}
	}
	x, y := r.value(v.X, depth+1), r.value(v.Y, depth+1)
	if x.kind == anInt && y.kind == anInt {
		switch v.Op { // a counter that each round begins anew
		case token.ADD:
			return Value{kind: anInt, num: x.num + y.num}
		case token.SUB:
			return Value{kind: anInt, num: x.num - y.num}
		}
		if ok, known := compareInts(v.Op, x.num, y.num); known {
			return truth(ok)
		}
		return Value{}
	}
	if v.Op != token.EQL && v.Op != token.NEQ || x.kind != anError || y.kind != anError {
		return Value{}
	}
	eq := r.equal(x, y)
	if v.Op == token.NEQ {
		return Value{kind: eq.kind, yes: eq.no, no: eq.yes}
	}
	return eq
}

// equal compares errors, or codes, by their classes. Two errors of one class
// need not be the same one, except for nil.
func (r *run) equal(x, y Value) Value {
	if !x.Errs.Meets(y.Errs) {
		return truth(false)
	}
	one := func(s retry.ErrorSet) bool { return len(s.Classes()) == 1 }
	if one(x.Errs) && x.Errs == y.Errs {
		c := x.Errs.Classes()[0]
		if c == retry.OK || x.marks == "" && y.marks == "" && c <= retry.Unauthenticated {
			return truth(true)
		}
		if x.marks != "" && x.marks == y.marks {
			return truth(true)
		}
	}
	return Value{kind: aBool, yes: true, no: true}
}

func compareInts(op token.Token, x, y int64) (ok, known bool) {
	switch op {
	case token.EQL:
		return x == y, true
	case token.NEQ:
		return x != y, true
	case token.LSS:
		return x < y, true
	case token.LEQ:
		return x <= y, true
	case token.GTR:
		return x > y, true
	case token.GEQ:
		return x >= y, true
	}
	return false, false
}
