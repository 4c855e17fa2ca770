package catalog

import (
	"go/types"
	"strings"
)

// A pattern matches types. The package comment gives the language.
type pattern interface {
	match(types.Type) bool
	// String is the pattern in canonical spelling, which identifies it.
	String() string
	// names calls yield for every named type of the pattern.
	names(yield func(TypeName))
}

// A TypeName is a named type as patterns and service lines write it. In a
// pattern the name _ is any type of the package, and the package _ is any.
type TypeName struct {
	Pkg, Name string
}

func (n TypeName) String() string { return n.Pkg + "." + n.Name }

// Is reports whether obj is the type of this name.
func (n TypeName) Is(obj *types.TypeName) bool {
	return (n.Name == "_" || obj.Name() == n.Name) && obj.Pkg() != nil && (n.Pkg == "_" || obj.Pkg().Path() == n.Pkg)
}

type (
	anyPattern         struct{}
	predeclaredPattern struct{ typ types.Type }
	namedPattern       struct {
		TypeName
		args []pattern // nil matches any type arguments
	}
	pointerPattern struct{ elem pattern }
	slicePattern   struct{ elem pattern }
	funcPattern    struct{ params, results listPattern }

	// restPattern stands in a listPattern for any number of types.
	restPattern struct{ anyPattern }
	listPattern []pattern
)

func (anyPattern) match(types.Type) bool { return true }

func (p predeclaredPattern) match(t types.Type) bool { return types.Identical(p.typ, t) }

func (p namedPattern) match(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || !p.Is(named.Obj()) {
		return false
	}
	if p.args == nil {
		return true
	}
	args := named.TypeArgs()
	if args.Len() != len(p.args) {
		return false
	}
	for i, arg := range p.args {
		if !arg.match(args.At(i)) {
			return false
		}
	}
	return true
}

func (p pointerPattern) match(t types.Type) bool {
	ptr, ok := types.Unalias(t).(*types.Pointer)
	return ok && p.elem.match(ptr.Elem())
}

func (p slicePattern) match(t types.Type) bool {
	slice, ok := types.Unalias(t).(*types.Slice)
	return ok && p.elem.match(slice.Elem())
}

func (p funcPattern) match(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && p.matchSignature(sig)
}

func (p funcPattern) matchSignature(sig *types.Signature) bool {
	return p.params.match(sig.Params(), 0) && p.results.match(sig.Results(), 0)
}

// match reports whether the list matches the tuple's variables from i on.
func (p listPattern) match(tuple *types.Tuple, i int) bool {
	if len(p) == 0 {
		return i == tuple.Len()
	}
	if _, ok := p[0].(restPattern); ok {
		for ; i <= tuple.Len(); i++ {
			if p[1:].match(tuple, i) {
				return true
			}
		}
		return false
	}
	return i < tuple.Len() && p[0].match(tuple.At(i).Type()) && p[1:].match(tuple, i+1)
}

func (anyPattern) String() string           { return "_" }
func (p predeclaredPattern) String() string { return p.typ.String() }
func (p pointerPattern) String() string     { return "*" + p.elem.String() }
func (p slicePattern) String() string       { return "[]" + p.elem.String() }
func (restPattern) String() string          { return "..." }

func (p namedPattern) String() string {
	if p.args == nil {
		return p.TypeName.String()
	}
	return p.TypeName.String() + "[" + listPattern(p.args).String() + "]"
}

func (p funcPattern) String() string {
	params := "func(" + p.params.String() + ")"
	switch len(p.results) {
	case 0:
		return params
	case 1:
		return params + " " + p.results[0].String()
	}
	return params + " (" + p.results.String() + ")"
}

func (p listPattern) String() string {
	words := make([]string, len(p))
	for i, elem := range p {
		words[i] = elem.String()
	}
	return strings.Join(words, ", ")
}

func (anyPattern) names(func(TypeName))         {}
func (predeclaredPattern) names(func(TypeName)) {}
func (p pointerPattern) names(yield func(TypeName)) {
	p.elem.names(yield)
}
func (p slicePattern) names(yield func(TypeName)) {
	p.elem.names(yield)
}
func (p namedPattern) names(yield func(TypeName)) {
	yield(p.TypeName)
	listPattern(p.args).names(yield)
}
func (p funcPattern) names(yield func(TypeName)) {
	p.params.names(yield)
	p.results.names(yield)
}
func (p listPattern) names(yield func(TypeName)) {
	for _, elem := range p {
		elem.names(yield)
	}
}
