package cli

import (
	"slices"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// link makes the findings of the program from those of its packages.
//
// A package's pass sees its imports but not its importers, so some findings
// can only be placed here, where all results are at hand.
func link(units []*unit) []*finding.Finding {
	var fs []*finding.Finding
	for _, u := range units {
		if !u.matched {
			continue
		}
		for _, r := range u.results {
			if found, ok := r.([]*finding.Finding); ok {
				fs = append(fs, found...)
			}
		}
	}
	return fs
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

// atLeast returns the findings of a severity and above.
func atLeast(fs []*finding.Finding, least finding.Severity) []*finding.Finding {
	return slices.DeleteFunc(slices.Clone(fs), func(f *finding.Finding) bool { return f.Severity < least })
}
