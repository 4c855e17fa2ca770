package ctxflow

import (
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// A Reporter describes an analyzer that reports what ctxflow has found. Its
// result are all findings of a package, whatever is shown of them.
type Reporter struct {
	Name string
	Doc  string
	// Find makes the findings of a package of the user's own. Fixes are for
	// those that are shown: a fix may carry the edits of others, so what nobody
	// sees must not have one.
	Find func(pass *analysis.Pass, flow *Result, shown finding.Filter) []*finding.Finding
}

// Analyzer makes the analyzer, on the results of flow.
func (r Reporter) Analyzer(flow *analysis.Analyzer) *analysis.Analyzer {
	shown := finding.Filter{Least: finding.Warning}
	a := &analysis.Analyzer{
		Name:       r.Name,
		Doc:        r.Doc,
		URL:        "https://github.com/ctxprop/ctxprop/blob/main/docs/rules.md",
		Requires:   []*analysis.Analyzer{flow},
		ResultType: reflect.TypeFor[[]*finding.Finding](),
	}
	a.Flags.Func("severity", "report at or above error, warning or info (default warning)", func(s string) (err error) {
		shown.Least, err = finding.ParseSeverity(s)
		return err
	})
	a.Flags.Func("codes", "turn codes off or set their severity, CODE=LEVEL or CODE=LEVEL@PATH, separated by commas; LEVEL is off, on, info, warning or error, and the last rule that matches holds", func(s string) (err error) {
		shown.Policy, err = finding.ParsePolicy(s)
		return err
	})
	a.Run = func(pass *analysis.Pass) (any, error) {
		result := pass.ResultOf[flow].(*Result)
		var fs []*finding.Finding
		if result.Directives == nil {
			return fs, nil // not the user's own code
		}
		fs = append(r.Find(pass, result, shown), finding.BadDirectives(pass.Fset, pass.Pkg.Path(), result.Directives, r.Name, false)...)
		for _, f := range fs {
			if shown.Shows(f) {
				pass.Report(f.Diagnostic())
			}
		}
		return fs, nil
	}
	return a
}
