package fix

import (
	"errors"
	"fmt"
	"go/types"
)

// Expr says how to spell the context at hand: a variable that is a context
// (ctx), or a method without parameters of a variable that provides one
// (r.Context(), stream.Context()).
type Expr struct {
	Var    *types.Var // a parameter, a receiver or a local variable
	Method string     // empty if the variable itself is the context
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
	if e.Method == "" {
		return e.Var.Type()
	}
	// A variable is addressable, so methods of its pointer type count.
	obj, _, _ := types.LookupFieldOrMethod(e.Var.Type(), true, pkg, e.Method)
	method, ok := obj.(*types.Func)
	if !ok {
		return nil
	}
	sig := method.Signature()
	if sig.Params().Len() != 0 || sig.Results().Len() != 1 {
		return nil
	}
	return sig.Results().At(0).Type()
}
