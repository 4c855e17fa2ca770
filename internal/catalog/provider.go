package catalog

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A Provider line names a type that stands for a request, and the expression
// which yields the request's context. Types with a method Context()
// context.Context need no line, unless there is more to say of them.
type Provider struct {
	TypeName
	Pointer bool
	// Expr is what follows a value of the type and a dot: a chain of fields and
	// methods without parameters that ends with a method, Request.Context(). It
	// is empty if nothing of the type is the request's context.
	Expr string
	// Deaf: the type is a context as well, but one that does not end with the
	// request.
	Deaf bool
	// Unless is TYPE.FIELD of the same package: a Deaf type's contexts do end
	// where this field is set.
	Unless string
	// Unset: Expr yields a root, unless the program puts a context there.
	Unset bool
	Pos   Pos
}

func (p Provider) typeString() string {
	if p.Pointer {
		return "*" + p.TypeName.String()
	}
	return p.TypeName.String()
}

// String is the line in its canonical form, without the word provider.
func (p Provider) String() string {
	words := []string{p.typeString()}
	if p.Expr != "" {
		words = append(words, "expr="+p.Expr)
	}
	if p.Deaf {
		words = append(words, "deaf")
	}
	if p.Unless != "" {
		words = append(words, "unless="+p.Unless)
	}
	if p.Unset {
		words = append(words, "unset")
	}
	return strings.Join(words, " ")
}

// Method is Expr without the parentheses of its last call: what a value of the
// type is asked for, such as Request.Context.
func (p Provider) Method() string { return strings.TrimSuffix(p.Expr, "()") }

// Step is the field or method that Expr begins with.
func (p Provider) Step() string {
	step, _, _ := strings.Cut(p.Expr, ".")
	return strings.TrimSuffix(step, "()")
}

// parseProvider reads what follows the word provider.
func parseProvider(rest string) (Provider, error) {
	word, rest := nextWord(rest)
	name, pointer := strings.CutPrefix(word, "*")
	typ, err := parseTypeName(name)
	p := Provider{TypeName: typ, Pointer: pointer}
	if err != nil {
		return p, err
	}
	seen := map[string]bool{}
	for word, rest := nextWord(rest); word != ""; word, rest = nextWord(rest) {
		name, value, _ := strings.Cut(word, "=")
		if seen[name] {
			return p, fmt.Errorf("attribute %q is given twice: remove one", name)
		}
		seen[name] = true
		if err := p.set(name, value, word); err != nil {
			return p, err
		}
	}
	switch {
	case p.Expr == "" && !p.Deaf:
		return p, fmt.Errorf("provider needs expr=, or deaf if the type is a context itself")
	case p.Unless != "" && !p.Deaf:
		return p, fmt.Errorf("unless= is for deaf types only")
	case p.Unset && p.Expr == "":
		return p, fmt.Errorf("unset speaks of expr=, which is missing")
	}
	return p, nil
}

func (p *Provider) set(name, value, word string) error {
	switch {
	case name == "expr":
		p.Expr = value
		return checkChain(value)
	case name == "unless":
		p.Unless = value
		typ, field, _ := strings.Cut(value, ".")
		if !token.IsIdentifier(typ) || !token.IsIdentifier(field) {
			return fmt.Errorf("unless=%s is malformed: write TYPE.FIELD of the same package", value)
		}
	case word == "deaf":
		p.Deaf = true
	case word == "unset":
		p.Unset = true
	default:
		return fmt.Errorf("unknown attribute %q: provider can have deaf, expr=, unless=, unset", word)
	}
	return nil
}

func checkChain(chain string) error {
	steps := strings.Split(chain, ".")
	for i, step := range steps {
		name, called := strings.CutSuffix(step, "()")
		if !token.IsIdentifier(name) || i == len(steps)-1 && !called {
			return fmt.Errorf("expr=%s is malformed: write fields and methods without parameters, ending with a method: Request.Context()", chain)
		}
	}
	return nil
}

// maxEmbedding bounds the search for a provider that a type embeds.
const maxEmbedding = 3

// Provider finds the line about a type, a pointer to it, or what it embeds: the
// chain of an embedded type is the outer one's by promotion.
func (c *Catalog) Provider(t types.Type) (Provider, bool) {
	if len(c.providers) == 0 {
		return Provider{}, false
	}
	return c.provider(t, 0)
}

func (c *Catalog) provider(t types.Type, depth int) (Provider, bool) {
	obj := typeName(t)
	if obj == nil || obj.Pkg() == nil {
		return Provider{}, false
	}
	if p, ok := c.providers[TypeName{obj.Pkg().Path(), obj.Name()}]; ok {
		return p, true
	}
	if depth == maxEmbedding {
		return Provider{}, false
	}
	switch u := obj.Type().Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if f.Embedded() {
				if p, ok := c.provider(f.Type(), depth+1); ok {
					return p, true
				}
			}
		}
	case *types.Interface:
		for e := range u.EmbeddedTypes() {
			if p, ok := c.provider(e, depth+1); ok {
				return p, true
			}
		}
	}
	return Provider{}, false
}

// Providers returns all provider lines, ordered by type.
func (c *Catalog) Providers() []Provider {
	var all []Provider
	for _, p := range c.providers {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Provider) int { return strings.Compare(a.TypeName.String(), b.TypeName.String()) })
	return all
}
