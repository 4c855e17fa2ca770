package catalog

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
)

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
