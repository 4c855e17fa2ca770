package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// IsVerb reports whether a directive with this verb is a line of the catalog.
func IsVerb(verb string) bool {
	_, ok := kindNamed(verb)
	return ok
}

// Declare makes a line of a directive at the declaration of fn: the verb is
// its kind, attributes is what follows. The error says what the function lacks
// for it.
func Declare(fn *types.Func, verb, attributes string) (string, error) {
	kind, ok := kindNamed(verb)
	if !ok {
		return "", fmt.Errorf("unknown kind %q: use one of %s", verb, Verbs())
	}
	symbol := symbolOf(fn)
	e, err := parseEntry(kind, symbol.String()+" "+attributes)
	if err != nil {
		return "", err
	}
	if err := e.Check(fn); err != nil {
		return "", err
	}
	if recv := fn.Signature().Recv(); kind == Handler && recv != nil && types.IsInterface(recv.Type()) {
		line := "root " + symbol.String() + ` name="declared handler"`
		if e.Ctx >= 0 {
			line += fmt.Sprintf(" ctx=%d", e.Ctx)
		}
		return line, nil
	}
	return e.String(), nil
}

// symbolOf names a function as lines do.
func symbolOf(fn *types.Func) Symbol {
	s := Symbol{Pkg: fn.Pkg().Path(), Name: fn.Name()}
	if recv := receiverType(fn); recv != nil {
		s.Recv = recv.Name()
		_, s.Pointer = types.Unalias(fn.Signature().Recv().Type()).(*types.Pointer)
	}
	return s
}

// Check reports what fn, the function that the line is about, lacks to be what
// the line says.
func (e Entry) Check(fn *types.Func) error {
	sig := fn.Signature()
	switch e.Kind {
	case Fresh, Bare:
		if !returnsContext(sig) {
			return fmt.Errorf("%v is for a function that returns a context", e.Kind)
		}
	case Derive, Detach:
		if !returnsContext(sig) || !e.takesContext(sig) {
			return fmt.Errorf("%v is for a function that takes a context and returns one", e.Kind)
		}
	case Carry:
		if sig.Results().Len() == 0 || !e.takesContext(sig) {
			return errors.New("carry is for a function that takes a context and returns what holds it")
		}
	case Block:
		if !e.takesContext(sig) {
			return errors.New("block is for a function that takes a context: without one it is a wait, or a twin if a sibling takes one")
		}
	case Wait, Twin:
		if contextParam(sig) != None {
			return fmt.Errorf("%v is for a function that takes no context: one that takes it is a block", e.Kind)
		}
	case Sync, Spawn, Later, Shared:
		if !e.callsAny(sig) {
			return fmt.Errorf("%v is for a function that takes a function", e.Kind)
		}
	case Retry:
		if e.RetryArg(sig) == None {
			return errors.New("retry is for a function that takes a function which returns an error")
		}
		if e.Count >= sig.Params().Len() || e.Count >= 0 && !isInteger(sig.Params().At(e.Count).Type()) {
			return fmt.Errorf("count=%d is no parameter of an integer type", e.Count)
		}
	case Handler:
		if e.Ctx >= sig.Params().Len() || e.Ctx == Deduced && providerParam(sig) == None {
			return errors.New("handler is for a function with a parameter that is or provides a context")
		}
	}
	return e.checkUse(fn)
}

func (e Entry) takesContext(sig *types.Signature) bool {
	switch i := e.ContextArg(sig); i {
	case None:
		return false
	case Receiver:
		return sig.Recv() != nil
	default:
		t := sig.Params().At(i).Type()
		return isContext(t) || providesContext(t)
	}
}

func (e Entry) callsAny(sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		if e.CallsArg(sig, i) && isFunc(paramType(sig, i)) {
			return true
		}
	}
	return false
}

// checkUse checks that the sibling of a use= exists and takes a context.
func (e Entry) checkUse(fn *types.Func) error {
	if e.Use == "" {
		return nil
	}
	typ, name, ok := strings.Cut(e.Use, ".")
	if !ok {
		typ, name = e.Symbol.Recv, e.Use
	}
	sibling, _ := fn.Pkg().Scope().Lookup(name).(*types.Func)
	if tn, ok := fn.Pkg().Scope().Lookup(typ).(*types.TypeName); ok {
		if obj, _, _ := types.LookupFieldOrMethod(tn.Type(), true, fn.Pkg(), name); obj != nil {
			sibling, _ = obj.(*types.Func)
		}
	}
	if sibling == nil {
		return fmt.Errorf("use=%s names neither a method of the same type nor a function of the package", e.Use)
	}
	if providerParam(sibling.Signature()) == None {
		return fmt.Errorf("use=%s takes no context", e.Use)
	}
	return nil
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func returnsContext(sig *types.Signature) bool {
	for v := range sig.Results().Variables() {
		if isContext(v.Type()) || providesContext(v.Type()) {
			return true
		}
	}
	return false
}

// CheckImports is CheckPackage for pkg and what it imports: lines are about
// libraries above all.
func (c *Catalog) CheckImports(pkg *types.Package) error {
	if c == Default() {
		return nil
	}
	errs := []error{c.CheckPackage(pkg)}
	for _, imported := range pkg.Imports() {
		errs = append(errs, c.CheckPackage(imported))
	}
	return errors.Join(errs...)
}

// CheckPackage checks the lines about functions of pkg that do not come from
// the embedded tables: each must name a function that exists and can be what
// the line says.
func (c *Catalog) CheckPackage(pkg *types.Package) error {
	var lines []*Entry
	if l := c.packages[pkg.Path()]; l != nil {
		lines = slices.Collect(maps.Values(l.byName))
	}
	for _, e := range c.marks {
		if e.Symbol.Pkg == pkg.Path() {
			lines = append(lines, e)
		}
	}
	lines = slices.DeleteFunc(lines, func(e *Entry) bool { return e.Symbol.Wide() || builtinTable(e.Pos) })
	slices.SortFunc(lines, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(a.Pos.Origin, b.Pos.Origin), cmp.Compare(a.Pos.Line, b.Pos.Line), a.Symbol.compare(b.Symbol))
	})
	var errs []error
	for _, e := range lines {
		if fn := functionNamed(pkg, e.Symbol); fn == nil {
			errs = append(errs, fmt.Errorf("%v: package %s has no %v", e.Pos, pkg.Path(), e.Symbol))
		} else if err := e.Check(fn); err != nil {
			errs = append(errs, fmt.Errorf("%v: %v: %w", e.Pos, e.Symbol, err))
		}
	}
	return errors.Join(errs...)
}

// Added lists the lines that do not come from the embedded tables, in the order
// of their places.
func (c *Catalog) Added() []Entry {
	added := slices.DeleteFunc(c.Entries(), func(e Entry) bool { return builtinTable(e.Pos) })
	slices.SortStableFunc(added, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Pos.Origin, b.Pos.Origin), cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
	return added
}

// builtinTable reports whether a line stands in an embedded table.
func builtinTable(p Pos) bool { return strings.HasSuffix(p.Origin, ".cat") }

// functionNamed is the function or method that a symbol names, or nil.
func functionNamed(pkg *types.Package, s Symbol) *types.Func {
	if s.Recv == "" {
		fn, _ := pkg.Scope().Lookup(s.Name).(*types.Func)
		return fn
	}
	tn, ok := pkg.Scope().Lookup(s.Recv).(*types.TypeName)
	if !ok {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(tn.Type(), true, pkg, s.Name)
	fn, _ := obj.(*types.Func)
	return fn
}
