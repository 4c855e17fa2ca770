package thread

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// mayChange returns an error, to follow the function's name, if something other
// than its calls rests on its type.
func (p *Program) mayChange(d *decl) error {
	name := d.fn.Name()
	switch {
	case d.node.Body == nil:
		return errors.New("has no body in Go")
	case ast.IsGenerated(d.src.file):
		return errors.New("is in a generated file")
	case !slices.Contains(d.src.pkg.GoFiles, d.src.name):
		return errors.New("is in a file that cgo rewrites")
	case exportsToC(d.node):
		return errors.New("is exported to C")
	}
	if at, ok := p.linked[name]; ok {
		return fmt.Errorf("is named at %s, where it is called by its name alone", p.place(at))
	}
	if err := p.reachable(d.fn, d.src); err != nil {
		return err
	}
	if at := p.mentionedUnseen(d.fn, d.src); at != "" {
		return errUnseen(at)
	}
	return nil
}

func errUnseen(at string) error {
	return fmt.Errorf("may be used in %s as well, which is not among the analysed files (other packages: ./...; build tags: -tags)", at)
}

func exportsToC(d *ast.FuncDecl) bool {
	return d.Doc != nil && slices.ContainsFunc(d.Doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//export ") })
}

// reachable returns an error if another module could call the function and the
// user has not said that this is no matter.
func (p *Program) reachable(fn *types.Func, src *source) error {
	pkg := fn.Pkg()
	if p.exported || !fn.Exported() || pkg.Name() == "main" || internal(pkg.Path()) || strings.HasSuffix(src.name, "_test.go") {
		return nil
	}
	return fmt.Errorf("is exported by %s, which other modules may import; -exported changes it all the same", pkg.Path())
}

func internal(path string) bool {
	return slices.Contains(strings.Split(path, "/"), "internal")
}

// addPragma notes the name that a go:linkname comment mentions.
func (p *Program) addPragma(c *ast.Comment) {
	rest, ok := strings.CutPrefix(c.Text, "//go:linkname ")
	if !ok {
		return
	}
	for _, name := range strings.Fields(rest) {
		p.linked[name[strings.LastIndexByte(name, '.')+1:]] = c.Pos()
	}
}

// addByName notes the method that reflection is asked for by its name.
func (p *Program) addByName(src *source, call *ast.CallExpr) {
	fn := src.callee(call)
	if fn == nil || fn.Name() != "MethodByName" || fn.Pkg() == nil || fn.Pkg().Path() != "reflect" || len(call.Args) != 1 {
		return
	}
	if v := src.pkg.TypesInfo.Types[call.Args[0]].Value; v != nil && v.Kind() == constant.String {
		p.linked[constant.StringVal(v)] = call.Pos()
	}
}

// namedInterface is an interface with what to call it.
type namedInterface struct {
	t    *types.Interface
	name string
}

// addInterfaces collects the interfaces that the program and what it imports
// declare, and the types that could implement them.
func (p *Program) addInterfaces(pkgs []*packages.Package) {
	seen := make(map[*types.Package]bool)
	var visit func(*types.Package)
	visit = func(pkg *types.Package) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		for _, name := range pkg.Scope().Names() {
			tn, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok {
				continue
			}
			if iface, ok := tn.Type().Underlying().(*types.Interface); ok {
				p.addInterface(iface, pkg.Path()+"."+name)
			} else if n, ok := tn.Type().(*types.Named); ok && p.own[pkg.Path()] {
				p.named = append(p.named, n)
			} else if ok {
				for m := range n.Methods() {
					p.foreign[m.Name()] = append(p.foreign[m.Name()], n)
				}
			}
		}
		for _, imp := range pkg.Imports() {
			visit(imp)
		}
	}
	for _, pkg := range pkgs {
		visit(pkg.Types)
	}
}

func (p *Program) addInterface(t *types.Interface, name string) {
	for m := range t.Methods() {
		p.ifaces[m.Name()] = append(p.ifaces[m.Name()], namedInterface{t, name})
	}
}

// sameShape reports whether an interface's method has as many parameters and
// results as the method of that name of a generic type, which no instance of
// the type is at hand to compare.
func sameShape(m *types.Func, t *types.Interface) bool {
	for im := range t.Methods() {
		a, b := im.Signature(), m.Signature()
		if im.Name() == m.Name() && a.Params().Len() == b.Params().Len() && a.Results().Len() == b.Results().Len() {
			return true
		}
	}
	return false
}
