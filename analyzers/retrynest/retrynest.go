package retrynest

import (
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
)

const name = "retrynest"

const doc = `check for retries that multiply and policies that harm

The retrynest analyzer reports retries that multiply along a path of calls,
retries without an end, and gRPC retry policies that fail, that grpc-go
ignores, or that repeat what makes an overload worse.`

// Analyzer reports with the default settings, on summaries of its own.
var Analyzer = New(ctxflow.New(ctxflow.Config{}))

// New returns an analyzer that reports from the given ctxflow analyzer.
func New(flow *analysis.Analyzer) *analysis.Analyzer {
	r := &reporter{flow: flow, severity: finding.Warning}
	a := &analysis.Analyzer{
		Name:       name,
		Doc:        doc,
		URL:        "https://github.com/ctxprop/ctxprop/blob/main/docs/rules.md",
		Requires:   []*analysis.Analyzer{flow},
		ResultType: reflect.TypeFor[[]*finding.Finding](),
		Run:        r.run,
	}
	a.Flags.Func("severity", "report at or above error, warning or info (default warning)", func(s string) (err error) {
		r.severity, err = finding.ParseSeverity(s)
		return err
	})
	return a
}

type reporter struct {
	flow     *analysis.Analyzer
	severity finding.Severity
}

// parts find what the analyzer reports; each looks after its own codes.
var parts = []func(*analysis.Pass, *ctxflow.Result) []*finding.Finding{}

func (r *reporter) run(pass *analysis.Pass) (any, error) {
	flow := pass.ResultOf[r.flow].(*ctxflow.Result)
	var fs []*finding.Finding
	if flow.Directives == nil {
		return fs, nil // not the user's own code
	}
	for _, find := range parts {
		fs = append(fs, find(pass, flow)...)
	}
	fs = append(fs, finding.BadDirectives(pass.Fset, pass.Pkg.Path(), flow.Directives, name, false)...)
	for _, f := range fs {
		if f.Severity >= r.severity {
			pass.Report(f.Diagnostic())
		}
	}
	return fs, nil
}
