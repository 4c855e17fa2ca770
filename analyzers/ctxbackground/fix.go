package ctxbackground

import (
	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
)

// addFixes attaches at most one fix to each finding.
func addFixes(pass *analysis.Pass, vs []*ctxflow.Verdict, fs []*finding.Finding) {}
