package conformance

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/ctxprop/ctxprop/internal/catalog"
)

// library is one package of a described module, with its types.
type library struct {
	types   *types.Package
	module  string // "std" for the standard library
	version string
}

// libraries loads every package that the catalog names and that modules.go
// imports, keyed by import path. A tree line is checked on those of its packages
// that are among them: some trees hold hundreds of generated ones.
//
// Types come from source without function bodies: to compile what the catalog
// names and all that it depends upon would take many minutes, for nothing that
// a signature does not show.
func libraries(t *testing.T, c *catalog.Catalog) map[string]*library {
	t.Helper()
	cfg := &packages.Config{Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule}
	loaded, err := packages.Load(cfg, slices.Concat(patterns(c), imported(t), slices.Collect(maps.Keys(generated)))...)
	if err != nil {
		t.Fatal(err)
	}
	src := &source{fset: token.NewFileSet(), checked: map[*packages.Package]*types.Package{}}
	all := map[string]*library{}
	for _, pkg := range loaded {
		typed, err := src.check(pkg)
		if len(pkg.Errors) > 0 {
			err = pkg.Errors[0]
		}
		if err != nil {
			t.Errorf("%s: %v", pkg.PkgPath, err)
			continue
		}
		all[pkg.PkgPath] = newLibrary(pkg, typed)
	}
	return all
}

// source type-checks packages and what they import, each once.
type source struct {
	fset    *token.FileSet
	checked map[*packages.Package]*types.Package
}

func (s *source) check(pkg *packages.Package) (*types.Package, error) {
	if pkg.PkgPath == "unsafe" {
		return types.Unsafe, nil
	}
	if typed := s.checked[pkg]; typed != nil {
		return typed, nil
	}
	var files []*ast.File
	for _, name := range pkg.GoFiles {
		f, err := parser.ParseFile(s.fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				fn.Body = nil // the tree of it is most of the memory
			}
		}
		files = append(files, f)
	}
	var first error
	conf := types.Config{
		IgnoreFuncBodies: true,
		FakeImportC:      true,
		Importer:         importer(func(path string) (*types.Package, error) { return s.imported(pkg, path) }),
		Sizes:            types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			var soft types.Error
			if first == nil && !(errors.As(err, &soft) && soft.Soft) {
				first = err
			}
		},
	}
	typed, _ := conf.Check(pkg.PkgPath, s.fset, files, nil) // its error is the first that Error gets
	s.checked[pkg] = typed
	return typed, first
}

// imported is a package that pkg imports. What is wrong with it, such as what
// only a C compiler can tell, is not pkg's fault, unless pkg uses it.
func (s *source) imported(pkg *packages.Package, path string) (*types.Package, error) {
	imp := pkg.Imports[path]
	if imp == nil {
		return nil, fmt.Errorf("there is no package %s", path)
	}
	typed, err := s.check(imp)
	if typed != nil {
		return typed, nil
	}
	return nil, err
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }

func newLibrary(pkg *packages.Package, typed *types.Package) *library {
	if pkg.Module == nil {
		return &library{typed, "std", goRelease()}
	}
	return &library{typed, pkg.Module.Path, pkg.Module.Version}
}

// goRelease is the language version, go1.26: the standard library's API does
// not change within it.
func goRelease() string {
	major, rest, _ := strings.Cut(runtime.Version(), ".")
	minor, _, _ := strings.Cut(rest, ".")
	return major + "." + minor
}

// imported lists the imports of modules.go.
func imported(t *testing.T) []string {
	file, err := parser.ParseFile(token.NewFileSet(), "modules.go", nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// patterns lists the packages that the catalog names.
func patterns(c *catalog.Catalog) []string {
	seen := map[string]bool{}
	var list []string
	add := func(pattern string) {
		if pattern != "" && !seen[pattern] {
			seen[pattern] = true
			list = append(list, pattern)
		}
	}
	addTypes := func(names []catalog.TypeName) {
		for _, name := range names {
			if name.Pkg != "_" {
				add(name.Pkg)
			}
		}
	}
	for _, e := range c.Entries() {
		if !e.Symbol.Tree {
			add(e.Symbol.Pkg)
		}
	}
	for _, r := range c.Roots() {
		add(r.Method().Pkg)
		addTypes(r.Types())
	}
	for _, s := range c.Services() {
		addTypes(s.Types())
	}
	for _, p := range c.Providers() {
		add(p.Pkg)
	}
	return list
}

// named finds a type by name, or nil.
func (l *library) named(name string) *types.Named {
	obj, ok := l.types.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil
	}
	named, _ := obj.Type().(*types.Named)
	return named
}

// methods lists the methods that the type itself declares, promoted ones left
// out.
func methods(named *types.Named) []*types.Func {
	var list []*types.Func
	if iface, ok := named.Underlying().(*types.Interface); ok {
		for m := range iface.ExplicitMethods() {
			list = append(list, m)
		}
		return list
	}
	for m := range named.Methods() {
		list = append(list, m)
	}
	return list
}

// methodNamed finds a declared method, or nil.
func methodNamed(named *types.Named, name string) *types.Func {
	for _, m := range methods(named) {
		if m.Name() == name {
			return m
		}
	}
	return nil
}

// functions lists a package's functions and the declared methods of its types.
func (l *library) functions() []*types.Func {
	var list []*types.Func
	scope := l.types.Scope()
	for _, name := range scope.Names() {
		switch obj := scope.Lookup(name).(type) {
		case *types.Func:
			list = append(list, obj)
		case *types.TypeName:
			if named, ok := obj.Type().(*types.Named); ok && !obj.IsAlias() {
				list = append(list, methods(named)...)
			}
		}
	}
	return list
}
