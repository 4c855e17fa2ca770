package errflow

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/retry"
)

// result evaluates one result of a call.
func (r *run) result(c *ssa.Call, index, depth int) Value {
	if r.a.Call != nil && c == r.a.Call {
		if i, ok := ErrorOf(c); ok && i == index {
			return r.a.Err
		}
	}
	fn := c.Call.StaticCallee()
	if fn == nil {
		if c.Call.IsInvoke() {
			if val, ok := r.named(c.Call.Method, c.Call.Args, depth); ok {
				return val
			}
			return r.method(c, index, depth)
		}
		return r.other(c, index, depth)
	}
	if fn.Pkg == r.flow.pkg && fn.Blocks != nil {
		if val, ok := r.own(fn, c, index, depth); ok {
			return val
		}
		return r.other(c, index, depth)
	}
	if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() != nil {
		if val, ok := r.library(obj, c, index, depth); ok {
			return val
		}
		if val, ok := r.named(obj, c.Call.Args, depth); ok {
			return val
		}
	}
	return r.other(c, index, depth)
}

// other is the result of a call of which nothing is known: it may well return
// an error that it is given.
func (r *run) other(c *ssa.Call, index, depth int) Value {
	if i, ok := ErrorOf(c); ok && i == index {
		if r.a.Others && !r.givenError(c, depth) {
			return Error(retry.Errors(retry.OK))
		}
		return Any()
	}
	return Value{}
}

// givenError reports whether an argument of the call is an error, or holds one.
func (r *run) givenError(c *ssa.Call, depth int) bool {
	for _, a := range elements(c.Call.Args) {
		if ci, ok := a.(*ssa.ChangeInterface); ok {
			a = ci.X
		}
		if !isError(a.Type()) {
			continue
		}
		if v := r.value(a, depth+1); v.kind != anError || v.Errs != retry.Errors(retry.OK) {
			return true
		}
	}
	return false
}

func (r *run) method(c *ssa.Call, index, depth int) Value {
	m := c.Call.Method
	if m.Name() == "Err" && isNamed(c.Call.Value.Type(), "context", "Context") {
		if r.a.Others {
			return Error(retry.Errors(retry.OK))
		}
		return Error(retry.ContextEnd | retry.Errors(retry.OK))
	}
	if m.Name() == "Unwrap" && len(c.Call.Args) == 0 {
		x := r.value(c.Call.Value, depth+1)
		if x.kind == anError {
			return Error(x.Errs | retry.Errors(retry.OK))
		}
	}
	return r.other(c, index, depth)
}

// library evaluates calls of functions whose way with errors is known.
func (r *run) library(fn *types.Func, c *ssa.Call, index, depth int) (Value, bool) {
	args := c.Call.Args
	arg := func(i int) Value {
		if i >= len(args) {
			return Value{}
		}
		return r.value(args[i], depth+1)
	}
	if r.flow.Mark != nil && fn.Signature().Results().Len() == 1 {
		if mark, ok := r.flow.Mark(fn); ok && len(args) > 0 {
			return marked(arg(0), mark), true
		}
	}
	switch fn.Pkg().Path() + "." + fn.Name() {
	case "errors.New", "github.com/pkg/errors.New", "github.com/pkg/errors.Errorf":
		return Error(retry.Errors(retry.Opaque)), true
	case "fmt.Errorf", "golang.org/x/xerrors.Errorf":
		return r.formatted(c, depth), true
	case "github.com/pkg/errors.Wrap", "github.com/pkg/errors.Wrapf", "github.com/pkg/errors.WithMessage",
		"github.com/pkg/errors.WithMessagef", "github.com/pkg/errors.WithStack", "github.com/cockroachdb/errors.Wrap", "github.com/cockroachdb/errors.Wrapf":
		return arg(0), true
	case "errors.Join":
		return r.joined(args, depth), true
	case "errors.Is", "github.com/pkg/errors.Is":
		return r.is(arg(0), arg(1)), true
	case "errors.As", "github.com/pkg/errors.As":
		if len(args) == 2 {
			return r.as(arg(0), args[1]), true
		}
	case "slices.Contains":
		if len(args) == 2 {
			return r.contained(args[0], arg(1), depth), true
		}
	case "errors.Unwrap":
		if x := arg(0); x.kind == anError {
			return Error(x.Errs | retry.Errors(retry.OK)), true
		}
	case "google.golang.org/grpc/status.Error", "google.golang.org/grpc/status.Errorf",
		"google.golang.org/grpc/status.New", "google.golang.org/grpc/status.Newf":
		if code := arg(0); code.kind == anError {
			return Error(code.Errs), true
		}
		return Error(retry.AnyError &^ retry.Errors(retry.Plain, retry.Opaque, retry.Permanent)), true
	case "google.golang.org/grpc/status.Code":
		return codeOf(arg(0)), true
	case "google.golang.org/grpc/status.Convert":
		return codeOf(arg(0)), true
	case "google.golang.org/grpc/status.FromError":
		if index == 0 {
			return codeOf(arg(0)), true
		}
		return hasCode(arg(0)), true
	case "google.golang.org/grpc/status.FromContextError":
		return fromContext(arg(0)), true
	case "google.golang.org/grpc/status.Err", "google.golang.org/grpc/internal/status.Err", "google.golang.org/grpc/internal/status.Code":
		return arg(0), true // a status and its code are the same set here
	case "net/http.NewRequest", "net/http.NewRequestWithContext", "net/url.Parse", "encoding/json.Marshal":
		if index == 1 { // what fails here fails in the first round already
			return Error(retry.Errors(retry.OK)), true
		}
	case "context.Cause":
		return Error(retry.ContextEnd | retry.Errors(retry.OK)), true
	}
	return Value{}, false
}

// predicates are what functions like IsNotFound ask for, by a part of their
// names in lower case.
var predicates = []struct {
	part string
	errs retry.ErrorSet
}{
	{"notfound", retry.Errors(retry.NotFound)},
	{"notexist", retry.Errors(retry.NotFound)},
	{"norows", retry.Errors(retry.NotFound)},
	{"alreadyexist", retry.Errors(retry.AlreadyExists)},
	{"dup", retry.Errors(retry.AlreadyExists)},
	{"conflict", retry.Errors(retry.Aborted, retry.AlreadyExists)},
	{"deadline", retry.Errors(retry.DeadlineExceeded, retry.ContextDeadline)},
	{"timeout", retry.Errors(retry.DeadlineExceeded, retry.ContextDeadline)},
	{"cancel", retry.Errors(retry.Canceled, retry.ContextCanceled)},
	{"forbidden", retry.Errors(retry.PermissionDenied)},
	{"permission", retry.Errors(retry.PermissionDenied)},
	{"unauthorized", retry.Errors(retry.Unauthenticated)},
	{"unauthenticated", retry.Errors(retry.Unauthenticated)},
}

// named evaluates a predicate whose body is not in sight by its name: what it
// is about is open, and so is any error without a status, but it does not say
// yes to the others, nor to no error at all.
func (r *run) named(fn *types.Func, args []ssa.Value, depth int) (Value, bool) {
	res := fn.Signature().Results()
	name, is := strings.CutPrefix(strings.ToLower(fn.Name()), "is")
	if !is || len(args) != 1 || !isError(args[0].Type()) || res.Len() != 1 || !types.Identical(res.At(0).Type(), types.Typ[types.Bool]) {
		return Value{}, false
	}
	var about retry.ErrorSet
	for _, p := range predicates {
		if strings.Contains(name, p.part) {
			about |= p.errs
		}
	}
	x := r.value(args[0], depth+1)
	if x.kind == anError && x.Errs == retry.Errors(retry.OK) {
		return truth(slices.Contains([]string{"nil", "ok", "none", "success"}, name)), true
	}
	if about == 0 || x.kind != anError || x.Errs.Meets(about|retry.Errors(retry.Plain, retry.Opaque, retry.Permanent)) {
		return Value{}, false
	}
	return truth(false), true
}

// contained says whether a code is in a list that is written out.
func (r *run) contained(list ssa.Value, code Value, depth int) Value {
	list = r.flow.held(list)
	if _, written := list.(*ssa.Slice); !written || code.kind != anError {
		return Value{}
	}
	var set retry.ErrorSet
	for _, elem := range elements([]ssa.Value{list}) {
		val := r.value(elem, depth+1)
		if val.kind != anError || len(val.Errs.Classes()) != 1 || val.marks != "" {
			return Value{}
		}
		set |= val.Errs
	}
	return memberOf(code, set)
}

// marked is the error, wrapped to carry a mark.
func marked(x Value, mark string) Value {
	if x.kind != anError {
		return Error(retry.AnyError, mark)
	}
	if x.Errs == retry.Errors(retry.OK) {
		return x
	}
	return Error(x.Errs, append(x.Marks(), mark)...)
}

// codeOf is an error's status code: that of an error without a status is
// Unknown, which includes the context's own end.
func codeOf(x Value) Value {
	if x.kind != anError {
		return Value{kind: anError, Errs: codes | retry.Errors(retry.OK)}
	}
	out := Value{kind: anError, Errs: x.Errs & (codes | retry.Errors(retry.OK))}
	if x.Errs.Meets(retry.Errors(retry.Plain)) {
		out.Errs |= codes // it may wrap one that has a status
	}
	if !x.Errs.In(codes | retry.Errors(retry.OK)) {
		out.Errs |= retry.Errors(retry.UnknownCode)
	}
	return out
}

// codes are the errors that have a status.
var codes = retry.AnyError.Minus(retry.Errors(retry.Plain, retry.Opaque, retry.Permanent) | retry.ContextEnd)

// hasCode is the second result of status.FromError.
func hasCode(x Value) Value {
	switch {
	case x.kind != anError:
		return Value{}
	case x.Errs.In(codes | retry.Errors(retry.OK)):
		return truth(true)
	case x.Errs.In(retry.Errors(retry.Opaque) | retry.ContextEnd):
		return truth(false)
	}
	return Value{}
}

func fromContext(x Value) Value {
	out := Value{kind: anError}
	if x.kind != anError {
		x = Any()
	}
	for class, code := range map[retry.Class]retry.Class{retry.OK: retry.OK, retry.ContextCanceled: retry.Canceled, retry.ContextDeadline: retry.DeadlineExceeded} {
		if x.Errs.Has(class) {
			out.Errs |= retry.Errors(code)
		}
	}
	if !x.Errs.In(retry.ContextEnd | retry.Errors(retry.OK)) {
		out.Errs |= retry.Errors(retry.UnknownCode)
	}
	return out
}

// formatted is fmt.Errorf: %w keeps the error, everything else makes a new one.
func (r *run) formatted(c *ssa.Call, depth int) Value {
	args := c.Call.Args
	format, ok := args[0].(*ssa.Const)
	if ok && format.Value != nil && format.Value.Kind() == constant.String && !strings.Contains(constant.StringVal(format.Value), "%w") {
		return Error(retry.Errors(retry.Opaque))
	}
	if len(args) < 2 {
		return Error(retry.Errors(retry.Opaque))
	}
	out := r.joined(args[1:], depth)
	if out.Errs = out.Errs.Minus(retry.Errors(retry.OK)); out.Errs == 0 {
		out.Errs = retry.Errors(retry.Opaque) // what is wrapped is nil
	}
	return out
}

// joined is an error that wraps those among the elements of a variadic slice.
func (r *run) joined(args []ssa.Value, depth int) Value {
	var out Value
	first := true
	for _, elem := range elements(args) {
		if mi, ok := elem.(*ssa.MakeInterface); ok && !isError(mi.X.Type()) && !implementsError(mi.X.Type()) {
			continue
		}
		v := elem
		if ci, ok := v.(*ssa.ChangeInterface); ok {
			v = ci.X
		}
		if !isError(v.Type()) {
			continue
		}
		val := r.value(v, depth+1)
		if val.kind != anError {
			val = Any()
		}
		if first {
			out, first = val, false
		} else {
			marks := append(out.Marks(), val.Marks()...) // all are in the chain
			out = Error(out.Errs|val.Errs, marks...)
		}
	}
	if first {
		return Any()
	}
	return out
}

func implementsError(t types.Type) bool {
	return types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// elements lists what a call's variadic slice is made of.
func elements(args []ssa.Value) []ssa.Value {
	var out []ssa.Value
	for _, a := range args {
		sl, ok := a.(*ssa.Slice)
		if !ok {
			out = append(out, a)
			continue
		}
		arr, ok := sl.X.(*ssa.Alloc)
		if !ok || arr.Referrers() == nil {
			continue
		}
		for _, ref := range *arr.Referrers() {
			ia, ok := ref.(*ssa.IndexAddr)
			if !ok || ia.Referrers() == nil {
				continue
			}
			for _, use := range *ia.Referrers() {
				if st, ok := use.(*ssa.Store); ok && st.Addr == ia {
					out = append(out, st.Val)
				}
			}
		}
	}
	return out
}

// is evaluates errors.Is.
func (r *run) is(x, target Value) Value {
	if x.kind != anError || target.kind != anError {
		return Value{}
	}
	switch {
	case x.Errs == retry.Errors(retry.OK):
		return Value{kind: aBool, yes: target.Errs.Has(retry.OK), no: !(target.Errs == retry.Errors(retry.OK))}
	case target.Errs.In(retry.ContextEnd): // what has a status is no context error, though it may tell of one
		switch {
		case x.Errs == target.Errs:
			return truth(true)
		case !x.Errs.Meets(target.Errs | retry.Errors(retry.Plain)):
			return truth(false)
		}
		return Value{kind: aBool, yes: true, no: true}
	case len(target.Marks()) == 1:
		if x.Errs.In(codes|retry.ContextEnd) && x.marks == "" {
			return truth(false) // a status, which wraps nothing
		}
		return r.has(x, target.marks)
	}
	return Value{}
}

// as evaluates errors.As with the address of its target.
func (r *run) as(x Value, target ssa.Value) Value {
	if mi, ok := target.(*ssa.MakeInterface); ok {
		target = mi.X
	}
	p, ok := types.Unalias(target.Type()).(*types.Pointer)
	if !ok || x.kind != anError {
		return Value{}
	}
	if types.IsInterface(p.Elem()) {
		return Value{}
	}
	return r.has(x, TypeMark(p.Elem()))
}

// own evaluates a call of a function of the package by running it with what
// is known of the arguments: a predicate on the error, or a function that
// wraps it. ok is false if no argument says anything.
func (r *run) own(fn *ssa.Function, c *ssa.Call, index, depth int) (Value, bool) {
	if r.depth >= 2 || len(fn.Blocks) > 60 {
		return Value{}, false
	}
	for i, p := range fn.Params {
		if !tracked(p.Type()) || i >= len(c.Call.Args) {
			continue
		}
		arg := r.value(c.Call.Args[i], depth+1)
		if arg.kind != anError {
			continue
		}
		return r.flow.called(fn, p, arg, index, r.a, r.depth+1), true
	}
	return Value{}, false
}

// called is a result of fn when its parameter has the value.
func (f *Flow) called(fn *ssa.Function, p *ssa.Parameter, arg Value, index int, a Assumption, depth int) Value {
	key := fmt.Sprintf("%p %s %s %d %t %d", fn, p.Name(), arg, index, a.Others, a.Status)
	if val, ok := f.memo[key]; ok {
		return val
	}
	res := fn.Signature.Results().At(index).Type()
	f.memo[key] = Value{} // while it runs, for recursion
	if isError(res) {
		f.memo[key] = Any()
	}
	r := &run{flow: f, a: Assumption{Param: p, Err: arg, Others: a.Others, Status: a.Status}, seen: map[string]bool{}, depth: depth}
	r.todo = []state{{block: fn.Blocks[0], env: map[ssa.Value]Value{}}}
	for len(r.todo) > 0 && r.states <= maxStates {
		s := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		r.states++
		r.step(s)
	}
	if r.states > maxStates {
		return f.memo[key]
	}
	var out Value
	first := true
	for _, e := range r.ends {
		if e.Return == nil {
			continue
		}
		v := e.Values[index]
		if isBool(res) && v.kind != aBool {
			v = Value{kind: aBool, yes: true, no: true}
		}
		if first {
			out, first = v, false
		} else {
			out = out.join(v)
		}
	}
	f.memo[key] = out
	return out
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool
}

// Words reports whether a call makes an error of another one's text alone:
// fmt.Errorf without %w.
func Words(c *ssa.Call) bool {
	fn := c.Call.StaticCallee()
	if fn == nil || fn.Pkg == nil || fn.Pkg.Pkg.Path() != "fmt" || fn.Name() != "Errorf" || len(c.Call.Args) < 2 {
		return false
	}
	format, ok := c.Call.Args[0].(*ssa.Const)
	return ok && format.Value != nil && format.Value.Kind() == constant.String && !strings.Contains(constant.StringVal(format.Value), "%w")
}
