package main

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
)

// declarations are the functions of a file, by their lines. Tools report one
// fault at different places: at the root, at its use, at the call. What they
// agree on is the function.
type declarations []declaration

type declaration struct {
	name        string
	first, last int
}

func declarationsOf(file string) (declarations, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var ds declarations
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			ds = append(ds, declaration{functionName(fn), fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line})
		}
	}
	return ds, nil
}

// at names the function of a line, or "" outside of all.
func (ds declarations) at(line int) string {
	for _, d := range ds {
		if d.first <= line && line <= d.last {
			return d.name
		}
	}
	return ""
}

// functionName is Function or Type.Method.
func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + fn.Name.Name
		default:
			return fn.Name.Name
		}
	}
}

// where is the hit's function with its package's folder.
func (h hit) where() string {
	name := h.function
	if name == "" {
		name = path.Base(h.file)
	}
	return path.Dir(h.file) + "." + name
}

func (h hit) inTest() bool { return strings.HasSuffix(h.file, "_test.go") }

func compareHits(a, b hit) int {
	return cmp.Or(
		cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.message, b.message),
		cmp.Compare(a.code, b.code), cmp.Compare(a.grade, b.grade),
	)
}
