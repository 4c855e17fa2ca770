// Package fixtest checks that suggested fixes leave code that compiles.
package fixtest

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// Run is analysistest.RunWithSuggestedFixes, and checks beyond it that every
// package type-checks
//
//   - after each fix alone, and after the first fixes of all diagnostics
//     together, without a clean-up of imports;
//   - with its golden files in place of the sources, section by section if they
//     are archives.
func Run(t *testing.T, dir string, a *analysis.Analyzer, patterns ...string) []*analysistest.Result {
	t.Helper()
	results := analysistest.RunWithSuggestedFixes(t, dir, a, patterns...)
	for _, result := range results {
		p, err := read(result.Action.Package)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, err := range append(p.checkFixes(result.Action.Diagnostics), p.checkGoldens()...) {
			t.Errorf("%s: %v", p.loaded.PkgPath, err)
		}
	}
	return results
}
