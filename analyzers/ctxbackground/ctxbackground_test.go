package ctxbackground_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ctxprop/ctxprop/analyzers/ctxbackground"
	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/fix/fixtest"
)

// all reports at every severity.
func all(t *testing.T) *analysis.Analyzer {
	t.Helper()
	a := ctxbackground.New(ctxflow.New(ctxflow.Config{}))
	if err := a.Flags.Set("severity", "info"); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestFresh is CTX101: a root where a context is at hand.
func TestFresh(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "fresh/...")
}

// TestSevered is CTX102: a function on a caller's way makes its own root.
func TestSevered(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "severed/...")
}

// TestUnderived is CTX106, and CTX102 where a caller in sight blocks on what
// the helper returns.
func TestUnderived(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "underived/...")
}

// TestLifetime is CTX103, 104, 105 and 107: contexts that live longer or
// shorter than the work on them.
func TestLifetime(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "lifetime/...", "detach/...")
}

// TestDeclared is what users declare at their functions, there and in the
// packages that import them.
func TestDeclared(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "declared/...")
}

// TestFrameworks: handlers of frameworks, queues and generated services, and the
// expressions that yield their contexts, whether these end or not.
func TestFrameworks(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "frameworks/...")
}
