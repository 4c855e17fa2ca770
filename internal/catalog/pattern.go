package catalog

import (
	"fmt"
	"go/token"
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

// A TypeName is a named type as patterns and service lines write it.
type TypeName struct {
	Pkg, Name string
}

func (n TypeName) String() string { return n.Pkg + "." + n.Name }

func (n TypeName) is(obj *types.TypeName) bool {
	return obj.Name() == n.Name && obj.Pkg() != nil && obj.Pkg().Path() == n.Pkg
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
	if !ok || !p.is(named.Obj()) {
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

// patternParser is a recursive-descent parser over the text of one line.
// After the first error it consumes nothing more.
type patternParser struct {
	rest string
	err  error
}

// parseFuncPattern reads "func(TYPES) [RESULTS]" and returns what follows it.
func parseFuncPattern(text string) (funcPattern, string, error) {
	p := &patternParser{rest: strings.TrimLeft(text, " \t")}
	f := p.function()
	if p.err == nil && p.rest != "" && !isSpace(p.rest[0]) {
		p.fail("a space after the pattern")
	}
	return f, p.rest, p.err
}

func (p *patternParser) fail(want string) {
	if p.err == nil {
		p.err = fmt.Errorf("pattern is malformed at %q: want %s", p.rest, want)
		p.rest = ""
	}
}

// accept consumes token after spaces, if it comes next.
func (p *patternParser) accept(token string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.rest, " \t"), token)
	if ok && p.err == nil {
		p.rest = rest
		return true
	}
	return false
}

func (p *patternParser) function() funcPattern {
	if !p.accept("func(") {
		p.fail("func(")
	}
	return funcPattern{p.list(")"), p.results()}
}

// list reads types up to the closing bracket.
func (p *patternParser) list(closing string) listPattern {
	var list listPattern
	if p.accept(closing) {
		return list
	}
	for p.err == nil {
		if p.accept("...") {
			list = append(list, restPattern{})
		} else {
			list = append(list, p.typ())
		}
		if p.accept(closing) {
			break
		}
		if !p.accept(",") {
			p.fail(", or " + closing)
		}
	}
	return list
}

// results reads an optional list of results: what follows a function's
// parameters, unless it ends the pattern or is an attribute.
func (p *patternParser) results() listPattern {
	word, _ := nextWord(p.rest)
	switch {
	case word == "" || strings.ContainsAny(word[:1], ",)]") || strings.Contains(word, "="):
		return nil
	case p.accept("..."):
		return listPattern{restPattern{}}
	case p.accept("("):
		return p.list(")")
	}
	return listPattern{p.typ()}
}

func (p *patternParser) typ() pattern {
	switch {
	case p.accept("*"):
		return pointerPattern{p.typ()}
	case p.accept("[]"):
		return slicePattern{p.typ()}
	case strings.HasPrefix(strings.TrimLeft(p.rest, " \t"), "func("):
		return p.function()
	}
	return p.name()
}

// name reads _, a predeclared name, or a qualified name with optional type
// arguments.
func (p *patternParser) name() pattern {
	word := strings.TrimLeft(p.rest, " \t")
	if i := strings.IndexAny(word, "[](), \t="); i >= 0 {
		word = word[:i]
	}
	if word == "_" {
		p.accept(word)
		return anyPattern{}
	}
	if obj, ok := types.Universe.Lookup(word).(*types.TypeName); ok {
		p.accept(word)
		return predeclaredPattern{obj.Type()}
	}
	name, err := parseTypeName(word)
	if err != nil {
		p.fail("a type: _, a predeclared name, or a name with the path of its package")
		return anyPattern{}
	}
	p.accept(word)
	named := namedPattern{TypeName: name}
	if p.accept("[") {
		named.args = p.list("]")
	}
	return named
}

// parseTypeName reads pkg/path.Name.
func parseTypeName(text string) (TypeName, error) {
	pkg, name := cutLastDot(text)
	if !token.IsIdentifier(name) || checkPath(pkg) != nil {
		return TypeName{}, fmt.Errorf("type %q is malformed: write pkg/path.Name", text)
	}
	return TypeName{pkg, name}, nil
}
