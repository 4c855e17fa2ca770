package fix_test

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/fix"
)

// source is a package in memory. Only the standard library can be imported.
type source map[string]string

// std is shared, so that every package is imported once.
var std = importer.ForCompiler(token.NewFileSet(), "gc", nil)

// load parses and type-checks the package. It formats nothing.
func (src source) load() (*analysis.Pass, error) {
	pass := &analysis.Pass{
		Fset: token.NewFileSet(),
		TypesInfo: &types.Info{
			Types:      make(map[ast.Expr]types.TypeAndValue),
			Instances:  make(map[*ast.Ident]types.Instance),
			Defs:       make(map[*ast.Ident]types.Object),
			Uses:       make(map[*ast.Ident]types.Object),
			Implicits:  make(map[ast.Node]types.Object),
			Selections: make(map[*ast.SelectorExpr]*types.Selection),
			Scopes:     make(map[ast.Node]*types.Scope),
		},
	}
	var names []string
	for name := range src {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f, err := parser.ParseFile(pass.Fset, name, src[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		pass.Files = append(pass.Files, f)
	}
	var errs []error
	cfg := types.Config{Importer: std, Error: func(err error) { errs = append(errs, err) }}
	pass.Pkg, _ = cfg.Check("p", pass.Fset, pass.Files, pass.TypesInfo)
	return pass, errors.Join(errs...)
}

// apply returns the source with the fixes applied.
func (src source) apply(fset *token.FileSet, fixes ...analysis.SuggestedFix) (source, error) {
	return fix.Apply(fset, src, fixes...)
}

// roots returns the calls in decl of functions named Background, TODO or
// something with root.
func roots(decl ast.Decl) []*ast.CallExpr {
	return callsWhere(decl, func(name string) bool {
		return name == "Background" || name == "TODO" || strings.Contains(strings.ToLower(name), "root")
	})
}

// callsWhere lists the calls of functions whose name is wanted.
func callsWhere(decl ast.Decl, wanted func(name string) bool) []*ast.CallExpr {
	var calls []*ast.CallExpr
	ast.Inspect(decl, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := ""
		switch fun := ast.Unparen(call.Fun).(type) {
		case *ast.Ident:
			name = fun.Name
		case *ast.SelectorExpr:
			name = fun.Sel.Name
		}
		if wanted(name) {
			calls = append(calls, call)
		}
		return true
	})
	return calls
}

// exprIn returns the expression that is written as text in decl, such as ctx or
// r.Context; its variable is the first that decl declares under the name.
func exprIn(t *testing.T, pass *analysis.Pass, decl ast.Decl, text string) fix.Expr {
	t.Helper()
	name, method, _ := strings.Cut(text, ".")
	for _, v := range variables(pass.TypesInfo, decl) {
		if v.Name() == name {
			return fix.Expr{Var: v, Method: method}
		}
	}
	t.Fatalf("%s: nothing is called %s", pass.Fset.Position(decl.Pos()), name)
	return fix.Expr{}
}

// variables returns what decl declares, in source order.
func variables(info *types.Info, decl ast.Decl) []*types.Var {
	var vs []*types.Var
	ast.Inspect(decl, func(n ast.Node) bool {
		obj := info.Implicits[n]
		if id, ok := n.(*ast.Ident); ok {
			obj = info.Defs[id]
		}
		if v, ok := obj.(*types.Var); ok {
			vs = append(vs, v)
		}
		return true
	})
	return vs
}
