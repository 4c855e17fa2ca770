package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// why answers -why: what is known at a line, shown or not.
func (p *process) why(at place, r *report, units []*unit) error {
	file := at.file
	if !filepath.IsAbs(file) {
		file = filepath.Join(r.dir, file)
	}
	if !analysed(file, units) {
		return fmt.Errorf("-why %s: no analysed package has this file; name its package or add -tags", &at)
	}
	var b strings.Builder
	for _, f := range r.findings {
		if f.Position.Filename == file && f.Position.Line == at.line {
			writeWhy(&b, f, r.dir)
		}
	}
	if b.Len() == 0 {
		fmt.Fprintf(&b, "%s: nothing to report\n", &at)
	}
	_, err := fmt.Fprint(p.stdout, b.String())
	return err
}

// analysed reports whether file belongs to one of the packages.
func analysed(file string, units []*unit) bool {
	for _, u := range units {
		for _, f := range u.pkg.CompiledGoFiles {
			if f == file {
				return true
			}
		}
	}
	return false
}

// writeWhy prints a finding with what the usual output leaves out.
func writeWhy(b *strings.Builder, f *finding.Finding, dir string) {
	fmt.Fprintf(b, "%s: %s\n", positionText(f.Position, dir), f.Message)
	fmt.Fprintf(b, "\tseverity: %s, because of %s\n", f.Severity, gradeText(f.Grade))
	for _, e := range f.Entries {
		fmt.Fprintf(b, "\tentry: %s\n", e)
	}
	for _, s := range f.Witness {
		fmt.Fprintf(b, "\t%s\n", stepText(s, dir))
	}
	fmt.Fprintf(b, "\tidentity: %s\n", f.ID)
}

func gradeText(g finding.Grade) string {
	switch g {
	case finding.GradeRequest:
		return "grade R: the code runs on behalf of a request"
	case finding.GradeContract:
		return "grade C: the function takes a context, and no request is in sight"
	}
	return "grade N: nobody waits for the code"
}
