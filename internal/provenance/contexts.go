package provenance

import "go/types"

// IsContext reports whether t is context.Context, an alias of it, an
// interface that holds its methods, or a type that implements it.
func IsContext(t types.Type) bool {
	t = types.Unalias(t)
	if n, ok := t.(*types.Named); ok {
		if obj := n.Obj(); obj.Name() == "Context" && obj.Pkg() != nil && obj.Pkg().Path() == "context" {
			return true
		}
	}
	if !mayHaveMethods(t) {
		return false
	}
	done := method(t, "Done")
	return done != nil && isDone(done) && method(t, "Err") != nil && method(t, "Deadline") != nil && method(t, "Value") != nil
}

// IsProvider reports whether t hands out a context through a method
// Context() context.Context without being one itself: *http.Request, a gRPC
// stream, a cobra command.
func IsProvider(t types.Type) bool {
	t = types.Unalias(t)
	if !mayHaveMethods(t) {
		return false
	}
	m := method(t, "Context")
	return m != nil && IsContextMethod(m) && !IsContext(t)
}

// Carries reports whether t is a context or provides one.
func Carries(t types.Type) bool { return IsContext(t) || IsProvider(t) }

// mayHaveMethods is a quick way out for the types of most values.
func mayHaveMethods(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	switch t := t.(type) {
	case *types.Named:
		return true
	case *types.Interface:
		return t.NumMethods() > 0
	case *types.TypeParam:
		return true
	case *types.Struct:
		return true
	}
	return false
}

func method(t types.Type, name string) *types.Func {
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
	fn, _ := obj.(*types.Func)
	return fn
}

// isDone matches Done() <-chan struct{}.
func isDone(fn *types.Func) bool {
	sig := fn.Signature()
	if sig.Params().Len() != 0 || sig.Results().Len() != 1 {
		return false
	}
	ch, ok := sig.Results().At(0).Type().Underlying().(*types.Chan)
	return ok && ch.Dir() == types.RecvOnly
}

// IsContextMethod matches Context() context.Context.
func IsContextMethod(m *types.Func) bool {
	sig := m.Signature()
	return m.Name() == "Context" && sig.Recv() != nil && sig.Params().Len() == 0 &&
		sig.Results().Len() == 1 && IsContext(sig.Results().At(0).Type())
}
