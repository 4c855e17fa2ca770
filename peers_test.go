package ctxprop_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/fix/fixtest"
)

// TestPeers runs the suite on what other tools get wrong.
func TestPeers(t *testing.T) {
	dir, err := filepath.Abs("testdata/peers")
	if err != nil {
		t.Fatal(err)
	}
	fixtest.Run(t, dir, whole(t), "peers/...")
}

// whole is the suite as one analyzer, at every severity: what is to stay
// silent must do so in all of its analyzers.
func whole(t *testing.T) *analysis.Analyzer {
	t.Helper()
	suite := ctxprop.New(ctxprop.Options{})
	if err := ctxprop.SetFlag(suite, "severity", "info"); err != nil {
		t.Fatal(err)
	}
	return &analysis.Analyzer{
		Name:     "whole",
		Doc:      "report what the suite finds",
		Requires: suite,
		Run: func(pass *analysis.Pass) (any, error) {
			for _, a := range suite {
				fs, _ := pass.ResultOf[a].([]*finding.Finding)
				for _, f := range fs {
					pass.Report(f.Diagnostic())
				}
			}
			return nil, nil
		},
	}
}
