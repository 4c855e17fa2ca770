package thread

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/fix"
)

// This file changes methods together: those of an interface, and those of all
// types that implement it.

// method is one that a declared interface of the program asks for.
type method struct {
	fn    *types.Func
	field *ast.Field
	src   *source
}

// addMethods notes the methods that a type declaration asks for. Generic
// interfaces are left out, for which no instance is at hand to compare.
func (p *Program) addMethods(src *source, spec *ast.TypeSpec) {
	t, ok := spec.Type.(*ast.InterfaceType)
	if !ok || spec.TypeParams != nil {
		return
	}
	for _, field := range t.Methods.List {
		for _, name := range field.Names {
			if fn, ok := src.pkg.TypesInfo.Defs[name].(*types.Func); ok {
				p.methods[fn.FullName()] = &method{fn, field, src}
			}
		}
	}
}

// group lists the methods of interfaces, and the functions, whose types have to
// change with that of a function, all by their keys. If some of them cannot,
// it is an error that follows the function's name.
func (p *Program) group(key string) (funcs, methods []string, err error) {
	funcs = []string{key}
	for i, j := 0, 0; i < len(funcs) || j < len(methods); {
		if i < len(funcs) {
			asked, err := p.askedFor(funcs[i])
			if err != nil {
				return nil, nil, err
			}
			methods = appendNew(methods, asked...)
			i++
			continue
		}
		made, err := p.implementing(methods[j])
		if err != nil {
			return nil, nil, err
		}
		for _, k := range made {
			if p.methods[k] != nil { // of an interface that a type embeds
				methods = appendNew(methods, k)
			} else {
				funcs = appendNew(funcs, k)
			}
		}
		j++
	}
	return funcs, methods, nil
}

func appendNew(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// askedFor lists the methods of interfaces that a function is the
// implementation of: for its receiver, or for a type into which that is
// embedded.
func (p *Program) askedFor(key string) ([]string, error) {
	d := p.decls[key]
	if d == nil || d.fn.Signature().Recv() == nil {
		return nil, nil
	}
	var methods []string
	for _, n := range p.named {
		if m := methodOf(n, d.fn.Pkg(), d.fn.Name()); m == nil || m.Origin().FullName() != key {
			continue
		}
		for _, iface := range p.ifaces[d.fn.Name()] {
			if n.TypeParams().Len() > 0 && sameShape(d.fn, iface.t) {
				return nil, fmt.Errorf("may be what makes its generic type implement %s", iface.name)
			}
			if !types.Implements(types.NewPointer(n), iface.t) {
				continue
			}
			asked := iface.method(d.fn.Name()).FullName()
			if p.methods[asked] == nil {
				return nil, fmt.Errorf("is what makes its type implement %s", iface.name)
			}
			methods = appendNew(methods, asked)
		}
	}
	return methods, nil
}

// implementing lists the methods of the program's types that implement a
// method of an interface.
func (p *Program) implementing(key string) ([]string, error) {
	m := p.methods[key]
	var out []string
	for _, iface := range p.ifaces[m.fn.Name()] {
		if iface.method(m.fn.Name()).FullName() != key {
			continue
		}
		for _, n := range p.named {
			if impl := methodOf(n, m.fn.Pkg(), m.fn.Name()); impl != nil && types.Implements(types.NewPointer(n), iface.t) {
				out = appendNew(out, impl.Origin().FullName())
			}
		}
		for _, n := range p.foreign[m.fn.Name()] {
			if types.Implements(types.NewPointer(n), iface.t) {
				return nil, fmt.Errorf("implements %s, as %s does, which is not of this program", iface.name, n)
			}
		}
	}
	return out, nil
}

func methodOf(n *types.Named, from *types.Package, name string) *types.Func {
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), false, from, name)
	m, _ := obj.(*types.Func)
	return m
}

func (i namedInterface) method(name string) *types.Func {
	for m := range i.t.Methods() {
		if m.Name() == name {
			return m
		}
	}
	return nil
}

// changeMethod is what giving an interface's method a parameter does to its
// declaration and its calls.
func (p *Program) changeMethod(key string) *change {
	if c, ok := p.done[key]; ok {
		return c
	}
	c := &change{}
	p.done[key] = c
	m := p.methods[key]
	name := callee.ShortName(m.fn)
	err := p.reachable(m.fn, m.src)
	if at := p.mentionedUnseen(m.fn, m.src); err == nil && at != "" {
		err = errUnseen(at)
	}
	var edits []analysis.TextEdit
	if err == nil {
		edits, err = m.src.builder.AddMethodParameter(m.field)
	}
	if err != nil {
		c.err = fmt.Errorf("%s %w", name, err)
		return c
	}
	c.edits = fix.Edits(p.fset, edits...)
	c.keeps = p.keep(m.src, m.field.Pos())
	for _, r := range p.refs[key] {
		if err := p.pass(c, r); err != nil {
			c.err = fmt.Errorf("%s %w", name, err)
			return c
		}
	}
	return c
}

var errWriteBehind = errors.New("it changes state behind an interface, whose callers may have changed some before")
