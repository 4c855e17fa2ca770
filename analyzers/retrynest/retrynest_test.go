package retrynest_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ctxprop/ctxprop/analyzers/retrynest"
	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/fix/fixtest"
)

// all reports at every severity.
func all(t *testing.T) *analysis.Analyzer {
	t.Helper()
	a := retrynest.New(ctxflow.New(ctxflow.Config{}))
	if err := a.Flags.Set("severity", "info"); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestNested is CTX301: layers of retries over one another.
func TestNested(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), all(t), "nested/...")
}

// TestLoops is CTX302, 303 and 304: loops that do not end, hear or wait.
func TestLoops(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "loops")
}

// TestPauses is the fixes of CTX304 and 311: waits between attempts.
func TestPauses(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "pauses")
}

// TestLibraries is CTX301 and 309 over the policies of libraries.
func TestLibraries(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), all(t), "libraries")
}

// TestDeclared is CTX301 over helpers that are declared to retry.
func TestDeclared(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), all(t), "declared/...")
}

// TestDial is CTX301 over the options of gRPC clients: interceptors and policies.
func TestDial(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), all(t), "dial/...")
}

// TestKnobs is CTX310: counts that mean something else than they say.
func TestKnobs(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), all(t), "knobs")
}

// TestCodes is CTX306 in lists of codes that interceptors are given.
func TestCodes(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "codes")
}
