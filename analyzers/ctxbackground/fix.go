package ctxbackground

import (
	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/fix"
)

// addFixes attaches at most one fix to each finding that is reported: the
// root's call becomes the context at hand, or the detached work gets a
// deadline. fs[i] is the finding of vs[i].
//
// All replacements of the package are announced before the first fix is
// built, since an import may lose its last use through several of them.
func addFixes(pass *analysis.Pass, vs []*ctxflow.Verdict, fs []*finding.Finding, shown finding.Filter) {
	b := fix.NewBuilder(pass)
	planned := make([]*fix.Replacement, len(fs))
	bounds := make([]func() (analysis.SuggestedFix, error), len(fs))
	for i, v := range vs {
		obj, method := v.HandVar()
		if obj == nil || !v.FixSafe || !shown.Shows(fs[i]) {
			continue
		}
		call := b.CallAt(v.RootCall)
		if call == nil {
			continue
		}
		use := fix.Expr{Var: obj, Method: method}
		if v.Code == finding.UnboundedDetach {
			bounds[i] = func() (analysis.SuggestedFix, error) { return b.BoundDetached(v.Pos, call, use) }
			continue
		}
		if r, err := b.ReplaceRoot(call, use); err == nil {
			planned[i] = r
		}
	}
	for i, r := range planned {
		if r != nil {
			fs[i].Fixes = []analysis.SuggestedFix{r.Fix()}
		}
		if bounds[i] == nil {
			continue
		}
		if f, err := bounds[i](); err == nil {
			fs[i].Fixes = []analysis.SuggestedFix{f}
		}
	}
}
