package conformance

import (
	"go/types"
	"strings"

	"github.com/ctxprop/ctxprop/internal/catalog"
)

// The predicates here are written apart from those of the catalog, so that one
// checks the other.

const contextType = "context.Context"

func isContext(t types.Type) bool { return types.TypeString(types.Unalias(t), nil) == contextType }

// implementsContext reports whether t is a context by its methods.
func implementsContext(t types.Type) bool {
	set := types.NewMethodSet(t)
	for _, name := range []string{"Deadline", "Done", "Err", "Value"} {
		if set.Lookup(nil, name) == nil {
			return false
		}
	}
	return true
}

// providesContext reports whether t has a method Context() context.Context.
func providesContext(t types.Type) bool {
	sel := types.NewMethodSet(t).Lookup(nil, "Context")
	return sel != nil && strings.HasSuffix(types.TypeString(sel.Type(), nil), "func() "+contextType)
}

// contextParam is the index of the first context.Context parameter, or -1.
func contextParam(sig *types.Signature) int {
	return paramWhere(sig, isContext)
}

// providerParam is the index of the first parameter that is or provides a
// context, or -1. An *http.Client's Do is given a request.
func providerParam(sig *types.Signature) int {
	return paramWhere(sig, func(t types.Type) bool { return isContext(t) || providesContext(t) })
}

func paramWhere(sig *types.Signature, ok func(types.Type) bool) int {
	for i := range sig.Params().Len() {
		if ok(sig.Params().At(i).Type()) {
			return i
		}
	}
	return -1
}

// returnsContext reports whether a result is or provides a context.
func returnsContext(sig *types.Signature) bool {
	for v := range sig.Results().Variables() {
		if isContext(v.Type()) || providesContext(v.Type()) || implementsContext(v.Type()) {
			return true
		}
	}
	return false
}

// takesContext reports whether the place that the line names has a context.
func takesContext(e catalog.Entry, sig *types.Signature) bool {
	switch at := e.ContextArg(sig); at {
	case catalog.None:
		return false
	case catalog.Receiver:
		return sig.Recv() != nil && contextParam(sig) < 0
	default:
		t := sig.Params().At(at).Type()
		return isContext(t) || providesContext(t)
	}
}

// callsFunction reports whether the place that the line names is a function.
// An empty interface may be one: runtime.SetFinalizer.
func callsFunction(e catalog.Entry, sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		if !e.CallsArg(sig, i) {
			continue
		}
		t := sig.Params().At(i).Type()
		if slice, ok := t.(*types.Slice); ok && sig.Variadic() {
			t = slice.Elem()
		}
		switch t := t.Underlying().(type) {
		case *types.Signature:
			return true
		case *types.Interface:
			return t.Empty()
		}
	}
	return false
}

// sibling resolves use=: a method of the same receiver, a method TYPE.NAME, or
// a function of the package.
func (l *library) sibling(e catalog.Entry) *types.Func {
	recv, name := e.Symbol.Recv, e.Use
	if typ, method, ok := strings.Cut(e.Use, "."); ok {
		recv, name = typ, method
	}
	if named := l.named(recv); named != nil {
		if fn := methodNamed(named, name); fn != nil {
			return fn
		}
	}
	fn, _ := l.types.Scope().Lookup(name).(*types.Func)
	return fn
}
