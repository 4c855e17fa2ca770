package retrynest

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// This file reports lists of gRPC codes, given to interceptors, with codes that
// harm (CTX306), as service configs have them, too.

// harmfulArguments reports the codes among the arguments of a function that
// takes the codes to retry on.
func (r *configReporter) harmfulArguments(call *ast.CallExpr, fn *types.Func, in *types.Func) {
	if !retry.TakesCodes(fn.Origin().FullName()) {
		return
	}
	list := call.Args
	if call.Ellipsis.IsValid() {
		list = r.written(call.Args[len(call.Args)-1])
	}
	codes := make([]retry.Class, len(list))
	for i, e := range list {
		codes[i] = r.code(e)
	}
	which, why := retry.Harmful(codes)
	if len(which) == 0 {
		return
	}
	first := list[which[0]]
	f := r.add(finding.HarmfulCodes, finding.Warning, first.Pos(), first.End(), fn, in, call,
		"the interceptor of %s repeats calls that failed with %s out of %s", owner(in), why, callee.ShortName(fn))
	if f != nil && len(which) < len(list) && !call.Ellipsis.IsValid() {
		f.Fixes = []analysis.SuggestedFix{dropped(list, which)}
	}
}

// written lists the elements of a slice that is written out in the package: in
// place, in a variable that is set once, or in a function that returns it and
// does nothing else. It is nil for any other.
func (r *configReporter) written(e ast.Expr) []ast.Expr {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return e.Elts
	case *ast.Ident:
		if v, ok := r.pass.TypesInfo.Uses[e].(*types.Var); ok {
			if value := r.only(v); value != nil {
				if _, again := ast.Unparen(value).(*ast.Ident); !again {
					return r.written(value)
				}
			}
		}
	case *ast.CallExpr:
		if fn := r.declared(e); fn != nil && len(fn.Body.List) == 1 {
			if ret, ok := fn.Body.List[0].(*ast.ReturnStmt); ok && len(ret.Results) == 1 {
				if lit, ok := ret.Results[0].(*ast.CompositeLit); ok {
					return lit.Elts
				}
			}
		}
	}
	return nil
}

// only is the one value that a variable is set to, or nil.
func (r *configReporter) only(v *types.Var) ast.Expr {
	var values []ast.Expr
	set := func(names []ast.Expr, from []ast.Expr) {
		for i, name := range names {
			id, ok := ast.Unparen(name).(*ast.Ident)
			if !ok || r.pass.TypesInfo.ObjectOf(id) != v {
				continue
			}
			if len(names) == len(from) {
				values = append(values, from[i])
			} else {
				values = append(values, nil)
			}
		}
	}
	for _, file := range r.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				set(n.Lhs, n.Rhs)
			case *ast.RangeStmt:
				set([]ast.Expr{n.Key, n.Value}, nil)
			case *ast.UnaryExpr:
				set([]ast.Expr{n.X}, nil) // its address may be taken
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if r.pass.TypesInfo.Defs[name] == v && i < len(n.Values) && len(n.Values) == len(n.Names) {
						values = append(values, n.Values[i])
					}
				}
			}
			return true
		})
	}
	if len(values) != 1 || v.Exported() && v.Parent() == r.pass.Pkg.Scope() {
		return nil
	}
	return values[0]
}

// declared is the declaration of the package's function that is called, or nil.
func (r *configReporter) declared(call *ast.CallExpr) *ast.FuncDecl {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return nil
	}
	for _, file := range r.pass.Files {
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil && r.pass.TypesInfo.Defs[fn.Name] == r.pass.TypesInfo.Uses[id] {
				return fn
			}
		}
	}
	return nil
}

// code is the class of a constant gRPC code, or that of no failure.
func (r *configReporter) code(e ast.Expr) retry.Class {
	v := r.pass.TypesInfo.Types[e].Value
	if v == nil || v.Kind() != constant.Int {
		return retry.OK
	}
	n, ok := constant.Int64Val(v)
	if !ok || n < 0 || n > int64(retry.Unauthenticated) {
		return retry.OK
	}
	return retry.Class(n)
}

// dropped is the fix that takes some of the arguments of a call out.
func dropped(list []ast.Expr, which []int) analysis.SuggestedFix {
	var names []string
	var edits []analysis.TextEdit
	kept := -1
	for i, e := range list {
		switch {
		case !slices.Contains(which, i):
			kept = i
			continue
		case kept >= 0: // with the comma before it
			edits = append(edits, analysis.TextEdit{Pos: list[i-1].End(), End: e.End()})
		default: // with the comma after it
			edits = append(edits, analysis.TextEdit{Pos: e.Pos(), End: list[i+1].Pos()})
		}
		names = append(names, types.ExprString(e))
	}
	return analysis.SuggestedFix{Message: "Drop " + strings.Join(names, ", "), TextEdits: edits}
}
