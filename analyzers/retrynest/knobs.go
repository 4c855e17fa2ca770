package retrynest

import (
	"go/ast"
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// This file looks through what libraries are given for their retries, and
// reports counts of attempts that mean something else than they say (CTX310). Only constants that are written out
// count: a zero that nobody wrote is the default that everybody has.

func knobs(pass *analysis.Pass, flow *ctxflow.Result) []*finding.Finding {
	r := &configReporter{pass: pass, allows: flow.Directives, seen: map[seenAt]bool{}}
	for _, file := range pass.Files {
		if ast.IsGenerated(file) {
			continue
		}
		for _, decl := range file.Decls {
			var in *types.Func
			if fd, ok := decl.(*ast.FuncDecl); ok {
				in, _ = pass.TypesInfo.Defs[fd.Name].(*types.Func)
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					r.countArgument(n, in)
				case *ast.CompositeLit:
					r.countElements(n, in)
				case *ast.AssignStmt:
					r.countAssigned(n, in)
				}
				return true
			})
		}
	}
	return r.numbered()
}

// countArgument reports a count that is an argument of a function with traps.
func (r *configReporter) countArgument(call *ast.CallExpr, in *types.Func) {
	fn, _ := typeutil.Callee(r.pass.TypesInfo, call).(*types.Func)
	if fn == nil || fn.Pkg() == nil {
		return
	}
	r.harmfulArguments(call, fn, in)
	for _, trap := range retry.Traps(fn.Origin().FullName()) {
		for _, arg := range call.Args {
			if n, ok := r.count(arg); ok && trap.Is(n) {
				r.add(finding.KnobTrap, finding.Warning, call.Pos(), call.End(), fn, in, call, "with %s(%d) %s", callee.ShortName(fn), n, trap.Means)
				return
			}
		}
	}
}

// count is a constant.
func (r *configReporter) count(e ast.Expr) (n int64, ok bool) {
	v := r.pass.TypesInfo.Types[e].Value
	if v == nil || v.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(v)
}

// countElements reports counts set in a struct literal.
func (r *configReporter) countElements(lit *ast.CompositeLit, in *types.Func) {
	n := callee.Named(r.pass.TypesInfo.TypeOf(lit))
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if key, ok := kv.Key.(*ast.Ident); ok {
			r.countField(n, key.Name, kv.Value, kv, in)
		}
	}
}

// countAssigned reports counts set by an assignment to a field.
func (r *configReporter) countAssigned(a *ast.AssignStmt, in *types.Func) {
	if len(a.Lhs) != len(a.Rhs) {
		return
	}
	for i, lhs := range a.Lhs {
		sel, ok := lhs.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		if t := r.pass.TypesInfo.TypeOf(sel.X); t != nil {
			r.countField(callee.Named(t), sel.Sel.Name, a.Rhs[i], a, in)
		}
	}
}

func (r *configReporter) countField(owner *types.Named, field string, value ast.Expr, at ast.Node, in *types.Func) {
	if owner == nil || owner.Obj().Pkg() == nil {
		return
	}
	name := owner.Obj().Pkg().Path() + "." + owner.Obj().Name() + "." + field
	for _, trap := range retry.Traps(name) {
		n, ok := r.count(value)
		if !ok || !trap.Is(n) {
			continue
		}
		f := r.addAt(finding.KnobTrap, at, in, "%s.%s: %d: %s", owner.Obj().Name(), field, n, trap.Means)
		if f != nil {
			f.ID.Sink = name
		}
	}
}

// addAt is add for a place that is no call.
func (r *configReporter) addAt(code finding.Code, at ast.Node, in *types.Func, format string, args ...any) *finding.Finding {
	return r.add(code, finding.Warning, at.Pos(), at.End(), nil, in, &ast.CallExpr{Fun: &ast.Ident{NamePos: at.Pos()}, Rparen: at.End()}, format, args...)
}
