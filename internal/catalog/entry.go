package catalog

import (
	"go/types"
	"strconv"
	"strings"
)

// Special values of Entry.Ctx, Entry.Fn and Root.Ctx beside the index of a
// parameter (which counts from 0 and leaves the receiver out).
const (
	Receiver = -1 // the receiver holds the context
	Deduced  = -2 // not written on the line: the types tell
	None     = -3 // there is none
)

// An Entry is one line about a function, or about all those of a type, a
// package or a tree of packages.
type Entry struct {
	Symbol Symbol
	Kind   Kind
	Class  Class  // Block, Wait, Twin: what it waits for
	Ctx    int    // as written; see ContextArg
	Fn     int    // as written; see CallsArg
	Use    string // Bare, Twin: the sibling that takes a context, NAME or TYPE.NAME
	Wait   string // Spawn: the method that awaits what was started, or ""
	// Attempts is how often a Retry calls its argument in all: N, N-M, inf, or ?
	// where it is not known.
	Attempts string
	Count    int // Retry: the parameter that says how often, or None

	Bounded bool // Derive: sets a deadline
	Values  bool // Derive: only adds values
	Write   bool // Block, Twin: changes state
	Join    bool // Wait: waits for what Spawn lines started

	Pos Pos
}

// String is the line in its canonical form: one space between words, the
// attributes in a fixed order, no comment.
func (e Entry) String() string {
	words := []string{e.Kind.String(), e.Symbol.String()}
	add := func(present bool, word string) {
		if present {
			words = append(words, word)
		}
	}
	add(e.Class != "", "class="+string(e.Class))
	add(e.Ctx == Receiver, "ctx=recv")
	add(e.Ctx >= 0, "ctx="+strconv.Itoa(e.Ctx))
	add(e.Fn >= 0, "fn="+strconv.Itoa(e.Fn))
	add(e.Use != "", "use="+e.Use)
	add(e.Wait != "", "wait="+e.Wait)
	add(e.Attempts != "" && e.Attempts != unknownAttempts, "attempts="+e.Attempts)
	add(e.Kind == Retry && e.Count >= 0, "count="+strconv.Itoa(e.Count))
	add(e.Bounded, "bounded")
	add(e.Values, "values")
	add(e.Write, "write")
	add(e.Join, "join")
	return strings.Join(words, " ")
}

// ContextArg says which parameter of a function with this signature is or
// provides the context that the entry speaks of: its index, Receiver, or None.
// It is None as well when the line names a parameter that the function lacks.
func (e Entry) ContextArg(sig *types.Signature) int {
	switch {
	case e.Ctx == Deduced:
		return contextParam(sig)
	case e.Ctx >= sig.Params().Len():
		return None
	}
	return e.Ctx
}

// CallsArg reports whether parameter i of a function with this signature is a
// function argument that the entry speaks of. A Block entry with fn= calls it
// before it returns, as Sync does.
func (e Entry) CallsArg(sig *types.Signature, i int) bool {
	if e.Fn != Deduced {
		return e.Fn == i
	}
	switch e.Kind {
	case Sync, Spawn, Later, Shared:
		return isFunc(paramType(sig, i))
	case Retry:
		return e.RetryArg(sig) == i
	}
	return false
}

// RetryArg is the parameter that a Retry line says is called again and again,
// without fn= the first function that returns an error, or None.
func (e Entry) RetryArg(sig *types.Signature) int {
	for i := range sig.Params().Len() {
		fn, ok := paramType(sig, i).Underlying().(*types.Signature)
		if e.Fn == i && ok || e.Fn == Deduced && ok && returnsError(fn) {
			return i
		}
	}
	return None
}

func returnsError(sig *types.Signature) bool {
	n := sig.Results().Len()
	return n > 0 && types.Identical(sig.Results().At(n-1).Type(), types.Universe.Lookup("error").Type())
}

// paramType is the type of an argument for parameter i: for a variadic one,
// that of its elements.
func paramType(sig *types.Signature, i int) types.Type {
	t := sig.Params().At(i).Type()
	if slice, ok := t.(*types.Slice); ok && sig.Variadic() && i == sig.Params().Len()-1 {
		return slice.Elem()
	}
	return t
}

// contextParam is the index of the first context.Context parameter, or None.
func contextParam(sig *types.Signature) int {
	params := sig.Params()
	for i := range params.Len() {
		if isContext(params.At(i).Type()) {
			return i
		}
	}
	return None
}

// providerParam is the index of the first parameter that is a context or has a
// method Context() context.Context, or None.
func providerParam(sig *types.Signature) int {
	params := sig.Params()
	for i := range params.Len() {
		if t := params.At(i).Type(); isContext(t) || providesContext(t) {
			return i
		}
	}
	return None
}

func isContext(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	obj := named.Obj()
	return obj.Name() == "Context" && obj.Pkg() != nil && obj.Pkg().Path() == "context"
}

func providesContext(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Context")
	fn, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	sig := fn.Signature()
	return sig.Params().Len() == 0 && sig.Results().Len() == 1 && isContext(sig.Results().At(0).Type())
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}
