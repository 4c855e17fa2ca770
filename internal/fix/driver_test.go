package fix_test

import (
	"go/ast"
	"go/types"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ctxprop/ctxprop/internal/fix"
	"github.com/ctxprop/ctxprop/internal/fix/fixtest"
)

// fresh reports every root context and offers the function's own: the first
// parameter of type context.Context or stream.
var fresh = &analysis.Analyzer{
	Name: "fresh",
	Doc:  "fresh: reports root contexts",
	Run: func(pass *analysis.Pass) (any, error) {
		b := fix.NewBuilder(pass)
		replacements := make(map[*ast.CallExpr]*fix.Replacement)
		for _, file := range pass.Files {
			for _, decl := range file.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if !ok {
					continue
				}
				for _, call := range roots(fn) {
					r, err := b.ReplaceRoot(b.CallAt(call.Lparen), atHand(pass, fn))
					if err != nil {
						return nil, err
					}
					replacements[call] = r
				}
			}
		}
		for call, r := range replacements {
			pass.Report(analysis.Diagnostic{
				Pos: call.Pos(), End: call.End(), Message: "fresh",
				SuggestedFixes: []analysis.SuggestedFix{r.Fix()},
			})
		}
		return nil, nil
	},
}

func atHand(pass *analysis.Pass, fn *ast.FuncDecl) fix.Expr {
	params := pass.TypesInfo.Defs[fn.Name].(*types.Func).Signature().Params()
	for v := range params.Variables() {
		switch types.TypeString(v.Type(), nil) {
		case "context.Context":
			return fix.Expr{Var: v}
		case "linked.stream":
			return fix.Expr{Var: v, Method: "Context"}
		}
	}
	return fix.Expr{}
}

// TestDriver lets the merge of the x/tools drivers loose on linked fixes: their
// equal edits must coalesce.
func TestDriver(t *testing.T) {
	results := fixtest.Run(t, analysistest.TestData(), fresh, "linked")
	got := make(map[string]int)
	for _, result := range results {
		for _, d := range result.Action.Diagnostics {
			got[d.SuggestedFixes[0].Message]++
		}
	}
	want := map[string]int{
		"Use s.Context(), and replace the file's other 2 fresh contexts too": 3,
		"Keep ctx instead of a fresh context":                                1,
	}
	for message, n := range want {
		if got[message] != n {
			t.Errorf("%d fixes say %q, want %d; all: %v", got[message], message, n, got)
		}
	}
}
