package retrynest

import (
	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
)

const doc = `check for retries that multiply and policies that harm

The retrynest analyzer reports retries that multiply along a path of calls,
retries without an end, and gRPC retry policies that fail, that grpc-go
ignores, or that repeat what makes an overload worse.`

// Analyzer reports with the default settings.
var Analyzer = New(ctxflow.Analyzer)

// New returns an analyzer that reports from the given ctxflow analyzer.
func New(flow *analysis.Analyzer) *analysis.Analyzer {
	return ctxflow.Reporter{Name: "retrynest", Doc: doc, Find: find}.Analyzer(flow)
}

// find makes what each part finds; each looks after its own codes.
func find(pass *analysis.Pass, flow *ctxflow.Result, _ finding.Filter) []*finding.Finding {
	var fs []*finding.Finding
	for _, part := range []func(*analysis.Pass, *ctxflow.Result) []*finding.Finding{configs, knobs} {
		for _, f := range part(pass, flow) {
			f.Final = true
			fs = append(fs, f)
		}
	}
	return append(fs, nests(pass, flow)...)
}
