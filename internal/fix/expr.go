package fix

import (
	"errors"
	"fmt"
	"go/types"
	"strings"
)

// Expr says how to spell the context at hand: a variable that is a context
// (ctx), or a method without parameters of a variable that provides one
// (r.Context(), stream.Context()).
type Expr struct {
	Var *types.Var // a parameter, a receiver or a local variable
	// Method is empty if the variable itself is the context. Fields and methods
	// without parameters may come before it: Request.Context, Request().Context.
	Method string
}

// String is the Go expression.
func (e Expr) String() string {
	if e.Method == "" {
		return e.Var.Name()
	}
	return e.Var.Name() + "." + e.Method + "()"
}

// check returns why e cannot be written in pkg at all, wherever it is placed.
func (e Expr) check(pkg *types.Package) error {
	switch {
	case e.Var == nil:
		return errors.New("no variable provides the context")
	case e.Var.Name() == "" || e.Var.Name() == "_":
		return errors.New("the parameter that provides the context has no name")
	case e.Var.IsField() || e.Var.Pkg() != pkg || e.Var.Parent() == pkg.Scope():
		return fmt.Errorf("%s is not a variable of the function", e.Var.Name())
	case e.typ(pkg) == nil:
		return fmt.Errorf("%s is not an expression of one value", e)
	}
	return nil
}

// typ returns the type of the expression, or nil if there is no such method or
// it takes parameters or has another number of results than one.
func (e Expr) typ(pkg *types.Package) types.Type {
	t := e.Var.Type()
	if e.Method == "" {
		return t
	}
	for step := range strings.SplitSeq(e.Method+"()", ".") {
		if t = stepType(t, pkg, step); t == nil {
			return nil
		}
	}
	return t
}

// stepType is the type of one field, or of the result of one method, of a value.
func stepType(t types.Type, pkg *types.Package, step string) types.Type {
	name, called := strings.CutSuffix(step, "()")
	// A variable is addressable, so methods of its pointer type count.
	switch obj, _, _ := types.LookupFieldOrMethod(t, true, pkg, name); obj := obj.(type) {
	case *types.Var:
		if !called {
			return obj.Type()
		}
	case *types.Func:
		sig := obj.Signature()
		if called && sig.Params().Len() == 0 && sig.Results().Len() == 1 {
			return sig.Results().At(0).Type()
		}
	}
	return nil
}
