package cli

import (
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/analyzers/ctxbackground"
	"github.com/ctxprop/ctxprop/analyzers/ignoredctx"
	"github.com/ctxprop/ctxprop/analyzers/retrynest"
	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/link"
)

// findingsOf makes the findings of the program from those of its packages.
//
// A package's pass sees its imports but not its importers, so grades, callers
// and the place of severed callees are only settled here, where all results
// are at hand. Test variants are left out: they hold nothing new to report.
func findingsOf(prog *program, units []*unit) []*finding.Finding {
	fs, _ := joinedFindings(prog, units)
	return fs
}

// joinedFindings also returns the verdicts of which findings were made.
func joinedFindings(prog *program, units []*unit) ([]*finding.Finding, map[*finding.Finding]*ctxflow.Verdict) {
	verdicts := map[*finding.Finding]*ctxflow.Verdict{}
	fixes := map[fixKey][]analysis.SuggestedFix{}
	var fs []*finding.Finding
	for _, u := range units {
		_, joined := resultOf[*ctxflow.Result](u)
		for _, f := range u.findings() {
			fixes[fixKey{f.ID, f.Pos}] = f.Fixes
			if u.matched && (f.Final || !joined || wording(f.ID.Code) == nil) {
				fs = append(fs, f)
			}
		}
	}
	for _, v := range link.Join(linked(units)) {
		f := wording(v.Code)(prog.fset, v)
		f.Fixes = fixes[fixKey{f.ID, f.Pos}]
		fs, verdicts[f] = append(fs, f), v
	}
	for _, u := range units {
		if flow, ok := resultOf[*ctxflow.Result](u); ok && u.matched && u.pkg.ForTest == "" {
			for _, name := range finding.Analyzers() {
				fs = append(fs, finding.BadDirectives(prog.fset, u.pkg.PkgPath, flow.Directives, name, true)...)
			}
		}
	}
	return fs, verdicts
}

// wording is how findings are made of the verdicts of a code, or nil if an
// analyzer makes them for itself.
func wording(code finding.Code) func(*token.FileSet, *ctxflow.Verdict) *finding.Finding {
	switch {
	case ctxbackground.Reports(code):
		return ctxbackground.Finding
	case retrynest.Words(code):
		return retrynest.Finding
	case ignoredctx.Reports(code):
		return ignoredctx.Finding
	}
	return nil
}

// linked returns the packages as the link takes them.
func linked(units []*unit) []*link.Package {
	var pkgs []*link.Package
	for _, u := range units {
		if flow, ok := resultOf[*ctxflow.Result](u); ok && u.pkg.ForTest == "" {
			pkgs = append(pkgs, &link.Package{Flow: flow, Shown: u.matched})
		}
	}
	return pkgs
}

// fixKey tells which finding of a pass a linked one continues.
type fixKey struct {
	id  finding.Identity
	pos token.Pos
}

// dedupe keeps one of the findings that a file has in its package and again
// in that package's test variant. The first is kept; units are ordered so
// that this is the package's own.
func dedupe(fs []*finding.Finding) []*finding.Finding {
	type key struct {
		id           finding.Identity
		file         string
		line, column int
	}
	seen := make(map[key]bool)
	var kept []*finding.Finding
	for _, f := range fs {
		k := key{f.ID, f.Position.Filename, f.Position.Line, f.Position.Column}
		if !seen[k] {
			seen[k] = true
			kept = append(kept, f)
		}
	}
	return kept
}
