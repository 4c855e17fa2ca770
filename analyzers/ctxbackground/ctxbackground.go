package ctxbackground

import (
	"fmt"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
)

const doc = `check that a request's context is not replaced by a fresh one

The ctxbackground analyzer reports context.Background(), context.TODO() and
what is derived from them where they reach blocking work on a request's path:
CTX101 in a function that has a caller's context at hand, CTX102 at a callee
that makes its own, CTX106 at a helper that takes a context and returns another.`

// Analyzer reports with the default settings, on summaries of its own.
var Analyzer = New(ctxflow.New(ctxflow.Config{}))

// New returns an analyzer that reports from the given ctxflow analyzer.
func New(flow *analysis.Analyzer) *analysis.Analyzer {
	r := &reporter{flow: flow, severity: finding.Warning}
	a := &analysis.Analyzer{
		Name:       "ctxbackground",
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

func (r *reporter) run(pass *analysis.Pass) (any, error) {
	flow := pass.ResultOf[r.flow].(*ctxflow.Result)
	var vs []*ctxflow.Verdict
	var fs []*finding.Finding
	for _, v := range flow.Verdicts {
		if rule, ok := finding.Rule(v.Code); ok && rule.Analyzer == pass.Analyzer.Name {
			vs, fs = append(vs, v), append(fs, toFinding(pass, v))
		}
	}
	addFixes(pass, vs, fs, r.severity)
	if flow.Directives != nil {
		for _, p := range flow.Directives.Problems(pass.Analyzer.Name) {
			fs = append(fs, &finding.Finding{
				ID:       finding.Identity{Code: finding.BadDirective, Home: pass.Pkg.Path(), Sink: p.Message},
				Grade:    finding.GradeRequest,
				Severity: finding.SeverityAt(finding.BadDirective, finding.GradeRequest),
				Pos:      p.Pos, End: p.End,
				Message: fmt.Sprintf("%s (%s)", p.Message, finding.BadDirective),
			})
		}
	}
	for _, f := range fs {
		f.Position, f.EndPosition = pass.Fset.Position(f.Pos), pass.Fset.Position(f.End)
		if f.Severity >= r.severity {
			pass.Report(f.Diagnostic())
		}
	}
	return fs, nil
}

func toFinding(pass *analysis.Pass, v *ctxflow.Verdict) *finding.Finding {
	return &finding.Finding{
		ID: v.ID(), Grade: v.Grade, Severity: finding.SeverityAt(v.Code, v.Grade),
		Pos: v.Pos, End: v.End,
		Message: message(pass.Pkg.Name(), v),
		Entries: v.Entries,
		Witness: witness(pass.Fset, v),
	}
}
