package cli

import (
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
)

// why answers -why: what is known at a line, shown or not.
func (p *process) why(o *options, r *report, prog *program, units []*unit) error {
	at := o.why
	file := at.file
	if !filepath.IsAbs(file) {
		file = filepath.Join(r.dir, file)
	}
	in := unitsOf(file, units)
	if len(in) == 0 {
		return fmt.Errorf("-why %s: no analysed package has this file; name its package or add -tags", &at)
	}
	if last := lineCount(file, r.fset, in[0]); at.line > last {
		return fmt.Errorf("-why %s: the file ends at line %d", &at, last)
	}
	var b strings.Builder
	for _, f := range r.findings {
		if f.Position.Filename == file && f.Position.Line == at.line {
			writeWhy(&b, f, r.dir)
			writeRule(&b, o, f)
		}
	}
	for _, line := range sitesAt(file, at.line, r, units) {
		b.WriteString(line)
	}
	if b.Len() == 0 {
		fmt.Fprintf(&b, "%s: no context reaches blocking work here%s\n", &at, unnamed(in, prog))
	}
	_, err := fmt.Fprint(p.stdout, b.String())
	return err
}

// unitsOf returns those that the file belongs to: a package, and the variant of
// it that its tests use.
func unitsOf(file string, units []*unit) []*unit {
	var in []*unit
	for _, u := range units {
		if slices.Contains(u.pkg.CompiledGoFiles, file) {
			in = append(in, u)
		}
	}
	return in
}

// lineCount is the number of lines of a file of the package.
func lineCount(file string, fset *token.FileSet, u *unit) int {
	for _, f := range u.pkg.Syntax {
		if tf := fset.File(f.FileStart); tf.Name() == file {
			return tf.LineCount()
		}
	}
	return 0
}

// unnamed qualifies that nothing is known of a line whose package no pattern
// matches: of such a package only what leads into it is shown.
func unnamed(in []*unit, prog *program) string {
	for _, u := range in {
		if prog.matched[u.pkg.ID] {
			return ""
		}
	}
	return "; for findings of its own, name its package: " + in[0].pkg.PkgPath
}

func onLine(pos token.Position, file string, line int) bool {
	return pos.Filename == file && pos.Line == line
}

// sitesAt describes the places where a context reaches blocking work, on the
// line or from a root that is made there, reported or not, each once although
// a test variant has it again.
func sitesAt(file string, line int, r *report, units []*unit) []string {
	var lines []string
	for _, u := range units {
		flow, ok := resultOf[*ctxflow.Result](u)
		if !ok {
			continue
		}
		for _, s := range flow.Sites {
			pos := r.fset.Position(s.Pos)
			if !onLine(pos, file, line) && !slices.ContainsFunc(s.Origins, func(o ctxflow.SiteOrigin) bool {
				return o.Pos.IsValid() && onLine(r.fset.Position(o.Pos), file, line)
			}) {
				continue
			}
			text := fmt.Sprintf("%s: %s\n", positionText(pos, r.dir), s)
			if !slices.Contains(lines, text) {
				lines = append(lines, text)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// writeWhy prints a finding with what the usual output leaves out.
func writeWhy(b *strings.Builder, f *finding.Finding, dir string) {
	fmt.Fprintf(b, "%s: %s\n", positionText(f.Position, dir), f.Message)
	fmt.Fprintf(b, "\tseverity: %s", f.Severity)
	if f.Grade != finding.GradeRequest || len(f.Entries) > 0 { // options and directives run for nobody
		fmt.Fprintf(b, ", because of %s", gradeText(f.Grade))
	}
	b.WriteString("\n")
	for _, e := range f.Entries {
		fmt.Fprintf(b, "\tentry: %s\n", e)
	}
	for _, s := range f.Witness {
		fmt.Fprintf(b, "\t%s\n", stepText(s, dir))
	}
	fmt.Fprintf(b, "\tidentity: %s\n", f.ID)
}

// writeRule says what the rules for codes make of the finding.
func writeRule(b *strings.Builder, o *options, f *finding.Finding) {
	by := "-codes"
	if o.config != "" && o.config != noConfig {
		by += " or " + o.config
	}
	switch severity, ok := o.codes.Severity(f); {
	case !ok:
		fmt.Fprintf(b, "\tturned off by %s\n", by)
	case severity != f.Severity:
		fmt.Fprintf(b, "\tmade %s by %s\n", severity, by)
	}
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
