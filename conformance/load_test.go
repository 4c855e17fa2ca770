package conformance

import (
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
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

// libraries loads every package that the catalog names and that modules_test.go
// imports, keyed by import path. A tree line is checked on those of its packages
// that are among them: some trees hold hundreds of generated ones.
func libraries(t *testing.T, c *catalog.Catalog) map[string]*library {
	t.Helper()
	cfg := &packages.Config{Mode: packages.LoadTypes | packages.NeedModule}
	loaded, err := packages.Load(cfg, append(patterns(c), imported(t)...)...)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*library{}
	for _, pkg := range loaded {
		if len(pkg.Errors) > 0 {
			t.Errorf("%s: %v", pkg.PkgPath, pkg.Errors[0])
			continue
		}
		all[pkg.PkgPath] = newLibrary(pkg)
	}
	return all
}

func newLibrary(pkg *packages.Package) *library {
	if pkg.Module == nil {
		return &library{pkg.Types, "std", goRelease()}
	}
	return &library{pkg.Types, pkg.Module.Path, pkg.Module.Version}
}

// goRelease is the language version, go1.26: the standard library's API does
// not change within it.
func goRelease() string {
	major, rest, _ := strings.Cut(runtime.Version(), ".")
	minor, _, _ := strings.Cut(rest, ".")
	return major + "." + minor
}

// imported lists the imports of modules_test.go.
func imported(t *testing.T) []string {
	file, err := parser.ParseFile(token.NewFileSet(), "modules_test.go", nil, parser.ImportsOnly)
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
	for _, e := range c.Entries() {
		if !e.Symbol.Tree {
			add(e.Symbol.Pkg)
		}
	}
	for _, r := range c.Roots() {
		add(r.Method().Pkg)
		for _, name := range r.Types() {
			add(name.Pkg)
		}
	}
	for _, s := range c.Services() {
		add(s.Pkg)
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
