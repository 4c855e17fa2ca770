package thread

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/fix"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// ref is a use of a declared function.
type ref struct {
	id  *ast.Ident
	src *source
}

// site is a call of one.
type site struct {
	src  *source
	call *ast.CallExpr
	path []ast.Node    // from the call outwards
	decl *ast.FuncDecl // around it, or nil
	pos  token.Pos     // by which the program's graph knows the call
}

// siteOf is the call whose function a use is.
func (p *Program) siteOf(r *ref) (*site, bool) {
	path, _ := astutil.PathEnclosingInterval(r.src.file, r.id.Pos(), r.id.End())
	fun := ast.Node(r.id)
	for i, n := range path {
		switch n := n.(type) {
		case *ast.Ident, *ast.ParenExpr:
		case *ast.SelectorExpr:
			if sel, ok := r.src.pkg.TypesInfo.Selections[n]; n.Sel != r.id || ok && sel.Kind() != types.MethodVal {
				return nil, false
			}
		case *ast.IndexExpr:
			if n.X != fun {
				return nil, false
			}
		case *ast.IndexListExpr:
			if n.X != fun {
				return nil, false
			}
		case *ast.CallExpr:
			if n.Fun != fun {
				return nil, false
			}
			return newSite(r.src, n, path[i:]), true
		default:
			return nil, false
		}
		fun = n
	}
	return nil, false
}

func newSite(src *source, call *ast.CallExpr, path []ast.Node) *site {
	s := &site{src: src, call: call, path: path, pos: call.Lparen}
	switch n := path[1].(type) {
	case *ast.GoStmt:
		s.pos = n.Pos()
	case *ast.DeferStmt:
		s.pos = n.Pos()
	}
	for _, n := range path {
		if d, ok := n.(*ast.FuncDecl); ok {
			s.decl = d
		}
	}
	return s
}

// key is that of the function around the call.
func (s *site) key() string {
	return s.src.pkg.TypesInfo.Defs[s.decl.Name].(*types.Func).Origin().FullName()
}

// since reports whether the file's language is Go 1.minor or later.
func (s *site) since(major, minor int) bool {
	v := s.src.pkg.TypesInfo.FileVersions[s.src.file]
	return v != "" && version.Compare(v, fmt.Sprintf("go%d.%d", major, minor)) >= 0
}

// inTest reports whether the call is part of a test or of a helper of tests.
func (s *site) inTest() bool {
	if strings.HasSuffix(s.src.name, "_test.go") {
		return true
	}
	for _, n := range s.path {
		if v, _ := s.testing(n); v != nil {
			return true
		}
	}
	return false
}

// testing is the parameter of a function by which it is or helps a test.
func (s *site) testing(fn ast.Node) (v *types.Var, typ string) {
	params := paramsOf(fn)
	if params == nil {
		return nil, ""
	}
	for _, field := range params.List {
		for _, id := range field.Names {
			v, ok := s.src.pkg.TypesInfo.Defs[id].(*types.Var)
			if !ok {
				continue
			}
			if n := callee.Named(v.Type()); n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "testing" {
				return v, n.Obj().Name()
			}
		}
	}
	return nil, ""
}

// context is a function's parameter that is a context, or nil.
func (s *site) context(fn ast.Node) *types.Var {
	for _, field := range paramsOf(fn).List {
		for _, id := range field.Names {
			if v, ok := s.src.pkg.TypesInfo.Defs[id].(*types.Var); ok && provenance.IsContext(v.Type()) {
				return v
			}
		}
	}
	return nil
}

func paramsOf(fn ast.Node) *ast.FieldList {
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		return fn.Type.Params
	case *ast.FuncLit:
		return fn.Type.Params
	}
	return nil
}

// testContext is the context that the function around the call takes or, if it
// is a test, the test's own. There is none in what is deferred or started.
func (s *site) testContext() string {
	for _, n := range s.path {
		switch n.(type) {
		case *ast.DeferStmt, *ast.GoStmt:
			return ""
		case *ast.FuncDecl, *ast.FuncLit:
			if v := s.context(n); v != nil && s.src.builder.Usable(s.call, fix.Expr{Var: v}) == nil {
				return v.Name()
			}
			v, typ := s.testing(n)
			if !s.since(1, 24) || v == nil || v.Name() == "_" || typ == "M" || typ == "PB" {
				return ""
			}
			if _, obj := s.src.pkg.Types.Scope().Innermost(s.call.Pos()).LookupParent(v.Name(), s.call.Pos()); obj != v {
				return ""
			}
			return v.Name() + ".Context()"
		}
	}
	return ""
}
