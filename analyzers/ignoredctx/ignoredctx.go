package ignoredctx

import (
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
)

const name = "ignoredctx"

const doc = `check that work which could end with its caller does

The ignoredctx analyzer reports work that no cancellation can end although a
context is at hand: CTX201 a handler whose context nobody asks, CTX202 a blocking
call that has a sibling with a context, CTX203 a sleep, channel operation or other
wait, CTX204 a loop over such work, CTX205 long work that a request enters unasked,
CTX206 an outgoing call without any deadline.`

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
