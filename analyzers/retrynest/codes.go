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

// harmfulArguments reports the codes among the arguments of a function that takes
// the codes to retry on.
func (r *configReporter) harmfulArguments(call *ast.CallExpr, fn *types.Func, in *types.Func) {
	if call.Ellipsis.IsValid() || !retry.TakesCodes(fn.Origin().FullName()) {
		return
	}
	codes := make([]retry.Class, len(call.Args))
	for i, arg := range call.Args {
		codes[i] = r.code(arg)
	}
	which, why := retry.Harmful(codes)
	if len(which) == 0 {
		return
	}
	first := call.Args[which[0]]
	f := r.add(finding.HarmfulCodes, finding.Warning, first.Pos(), first.End(), fn, in, call,
		"the interceptor of %s repeats calls that failed with %s out of %s", owner(in), why, callee.ShortName(fn))
	if f != nil && len(which) < len(codes) {
		f.Fixes = []analysis.SuggestedFix{dropArguments(call, which)}
	}
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

// dropArguments is the fix that takes some of the arguments of a call out.
func dropArguments(call *ast.CallExpr, which []int) analysis.SuggestedFix {
	var names []string
	var edits []analysis.TextEdit
	kept := -1
	for i, arg := range call.Args {
		switch {
		case !slices.Contains(which, i):
			kept = i
			continue
		case kept >= 0: // with the comma before it
			edits = append(edits, analysis.TextEdit{Pos: call.Args[i-1].End(), End: arg.End()})
		default: // with the comma after it
			edits = append(edits, analysis.TextEdit{Pos: arg.Pos(), End: call.Args[i+1].Pos()})
		}
		names = append(names, types.ExprString(arg))
	}
	return analysis.SuggestedFix{Message: "Drop " + strings.Join(names, ", "), TextEdits: edits}
}
