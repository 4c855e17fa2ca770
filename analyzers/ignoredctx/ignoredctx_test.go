package ignoredctx_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ctxprop/ctxprop/analyzers/ignoredctx"
	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/fix/fixtest"
)

// all reports at every severity.
func all(t *testing.T) *analysis.Analyzer {
	t.Helper()
	a := ignoredctx.New(ctxflow.New(ctxflow.Config{}))
	if err := a.Flags.Set("severity", "info"); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestCalls is CTX202: a call that could have taken the context at hand.
func TestCalls(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "calls/...")
}

// TestWaits is CTX203: a wait that cancellation cannot end.
func TestWaits(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "waits/...")
}

// TestLoops is CTX204: a loop that goes on after its context has ended.
func TestLoops(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "loop/...")
}

// TestLong is CTX201 and CTX205: long work for a caller who may have gone.
func TestLong(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "long/...")
}

// TestDeadline is CTX206: outgoing calls without any deadline.
func TestDeadline(t *testing.T) {
	fixtest.Run(t, analysistest.TestData(), all(t), "deadline/...")
}
