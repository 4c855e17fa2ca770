package ignoredctx

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/fix"
)

// addFixes attaches at most one fix to each finding that is reported. fs[i] is
// the finding of vs[i].
func addFixes(pass *analysis.Pass, vs []*ctxflow.Verdict, fs []*finding.Finding, shown finding.Filter) {
	b := fix.NewBuilder(pass)
	for i, v := range vs {
		obj, method := v.HandVar()
		if obj == nil || !v.FixSafe || !shown.Shows(fs[i]) {
			continue
		}
		if f, ok := fixOf(pass, b, v, fix.Expr{Var: obj, Method: method}); ok {
			fs[i].Fixes = []analysis.SuggestedFix{f}
		}
	}
}

func fixOf(pass *analysis.Pass, b *fix.Builder, v *ctxflow.Verdict, use fix.Expr) (analysis.SuggestedFix, bool) {
	var f analysis.SuggestedFix
	var err error
	asStatus := v.Grade == finding.GradeRequest
	switch {
	case v.FallsThrough():
		f, err = b.LeaveWhenDone(v.Pos, asStatus)
	case v.Code == finding.UncancellableLoop:
		f, err = b.LeaveLoop(v.Pos, use, asStatus)
	case v.Code == finding.ExpensiveAfterGone:
		call := b.CallAt(v.RootCall)
		if call == nil {
			return f, false
		}
		f, err = b.CheckBefore(call, use, asStatus)
	default:
		call := b.CallAt(v.RootCall)
		if call == nil {
			return f, false
		}
		fn, _ := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
		if fn == nil {
			return f, false
		}
		switch {
		case fn.FullName() == "time.Sleep":
			f, err = b.WaitOrLeave(call, use, asStatus)
		case v.Code != finding.CallWithoutContext:
			return f, false
		case buildsRequest[fn.FullName()]:
			f, err = b.BuildRequest(call, use)
		default:
			twin, ok := twinOf(pass, call, fn, v.Use)
			if !ok {
				return f, false
			}
			f, err = b.TakeContext(call, use, twin)
		}
	}
	return f, err == nil
}

// buildsRequest lists the functions that build a request and send it.
var buildsRequest = map[string]bool{
	"net/http.Get": true, "net/http.Head": true, "net/http.Post": true,
	"(*net/http.Client).Get": true, "(*net/http.Client).Head": true, "(*net/http.Client).Post": true,
}

// otherTwins are those that are not the sibling of what they replace, or that
// take more.
var otherTwins = map[string]fix.Twin{
	"net.Dial":                 {Fun: "(&%s.Dialer{}).DialContext"},
	"net.DialTimeout":          {Fun: "(&%s.Dialer{Timeout: %[2]s}).DialContext", Lift: 2},
	"net.LookupAddr":           {Fun: "%s.DefaultResolver.LookupAddr"},
	"net.LookupCNAME":          {Fun: "%s.DefaultResolver.LookupCNAME"},
	"net.LookupHost":           {Fun: "%s.DefaultResolver.LookupHost"},
	"net.LookupIP":             {Fun: "%s.DefaultResolver.LookupIP", Before: []string{`"ip"`}},
	"net.LookupMX":             {Fun: "%s.DefaultResolver.LookupMX"},
	"net.LookupNS":             {Fun: "%s.DefaultResolver.LookupNS"},
	"net.LookupPort":           {Fun: "%s.DefaultResolver.LookupPort"},
	"net.LookupSRV":            {Fun: "%s.DefaultResolver.LookupSRV"},
	"net.LookupTXT":            {Fun: "%s.DefaultResolver.LookupTXT"},
	"(*database/sql.DB).Begin": {Fun: "%s.BeginTx", After: []string{"nil"}},
}

// twinOf is how to call what takes a context in place of fn: one of the table,
// or the sibling, if it takes the same arguments behind its context and
// returns the same.
func twinOf(pass *analysis.Pass, call *ast.CallExpr, fn *types.Func, use string) (fix.Twin, bool) {
	if twin, ok := otherTwins[fn.FullName()]; ok {
		return twin, true
	}
	name := use[strings.LastIndexByte(use, '.')+1:]
	var obj types.Object
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		if sel, ok := pass.TypesInfo.Selections[fun]; ok {
			if sel.Kind() != types.MethodVal {
				return fix.Twin{}, false
			}
			obj, _, _ = types.LookupFieldOrMethod(sel.Recv(), true, pass.Pkg, name)
		} else {
			obj = fn.Pkg().Scope().Lookup(name)
		}
	case *ast.Ident:
		if obj = fn.Pkg().Scope().Lookup(name); obj != nil {
			if _, found := pass.Pkg.Scope().Innermost(call.Pos()).LookupParent(name, call.Pos()); found != obj {
				return fix.Twin{}, false
			}
		}
	}
	with, ok := obj.(*types.Func)
	if !ok || !sameBehindContext(fn.Signature(), with.Signature()) {
		return fix.Twin{}, false
	}
	if _, plain := ast.Unparen(call.Fun).(*ast.Ident); plain {
		return fix.Twin{Fun: name}, true
	}
	return fix.Twin{Fun: "%s." + name}, true
}

func sameBehindContext(plain, with *types.Signature) bool {
	n := plain.Params().Len()
	if with.Params().Len() != n+1 || plain.Variadic() != with.Variadic() || !types.Identical(plain.Results(), with.Results()) {
		return false
	}
	if with.Params().At(0).Type().String() != "context.Context" {
		return false
	}
	for i := range n {
		if !types.Identical(plain.Params().At(i).Type(), with.Params().At(i+1).Type()) {
			return false
		}
	}
	return true
}
