package ctxbackground

import (
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
)

const name = "ctxbackground"

const doc = `check that a request's context is not replaced by a fresh one

The ctxbackground analyzer reports context.Background(), context.TODO() and
what is derived from them where they reach blocking work on a request's path:
CTX101 in a function that has a caller's context at hand, CTX102 at a callee
that makes its own, CTX106 at a helper that takes a context and returns another.`

// Analyzer reports with the default settings.
var Analyzer = New(ctxflow.Analyzer)

// New returns an analyzer that reports from the given ctxflow analyzer.
func New(flow *analysis.Analyzer) *analysis.Analyzer {
	return ctxflow.Reporter{Name: name, Doc: doc, Find: find}.Analyzer(flow)
}

func find(pass *analysis.Pass, flow *ctxflow.Result, shown finding.Filter) []*finding.Finding {
	var vs []*ctxflow.Verdict
	var fs []*finding.Finding
	for _, v := range flow.Verdicts {
		if Reports(v.Code) {
			vs, fs = append(vs, v), append(fs, Finding(pass.Fset, v))
		}
	}
	addFixes(pass, vs, fs, shown)
	return fs
}

// Reports reports whether the analyzer is the one that reports the code.
func Reports(code finding.Code) bool { return code.ReportedBy(name) }

// Finding words a verdict, without a fix.
func Finding(fset *token.FileSet, v *ctxflow.Verdict) *finding.Finding {
	return v.Finding(fset, message(v))
}
