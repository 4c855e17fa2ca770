package cli

import (
	"fmt"
	"html"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// maxRows bounds a comment: GitHub takes 65,536 characters, and a reader fewer.
const maxRows = 30

// writeMarkdown prints findings as the summary of a run: a heading with their
// number, and a table with their paths folded away.
func writeMarkdown(w io.Writer, r *report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s ctxprop: %s\n", mark(len(r.findings) > 0), count(len(r.findings), "finding", "findings"))
	if len(r.findings) > 0 {
		newMarkdown(r).table(&b, r.findings, nil)
		b.WriteString(allowHint)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeGateMarkdown prints a comparison as the comment of a pull request: a
// heading with the outcome, the new findings, and the known ones that are
// reached from elsewhere now.
func writeGateMarkdown(w io.Writer, c *comparison) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s ctxprop: %s\n\nCompared with %s.\n", mark(c.failed()), c.summary(), cell(c.against()))
	m := newMarkdown(&c.report)
	if len(c.new) > 0 {
		m.table(&b, c.new, nil)
	}
	if len(c.wider) > 0 {
		b.WriteString("\nKnown findings that further entry points reach now")
		if !c.strict {
			b.WriteString(" (no reason to fail)")
		}
		b.WriteString(":\n")
		var fs []*finding.Finding
		entries := map[*finding.Finding][]string{}
		for _, f := range c.wider {
			fs = append(fs, f.Finding)
			entries[f.Finding] = f.entries
		}
		m.table(&b, fs, entries)
	}
	if c.failed() {
		b.WriteString(allowHint)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const allowHint = "\nA finding that is right as it is gets a directive with a reason, `//ctxprop:allow CODE reason`, at the reported line.\n"

func mark(failed bool) string {
	if failed {
		return "❌"
	}
	return "✅"
}

// markdown writes rows of tables.
type markdown struct {
	root string
	link func(file string, line int) string // of a place, or ""
}

func newMarkdown(r *report) *markdown {
	return &markdown{root: repositoryRoot(r.dir), link: blobLinks(r.env)}
}

// table has a row for each finding, and before what is known of it, the entry
// points that are new to it.
func (m *markdown) table(b *strings.Builder, fs []*finding.Finding, entries map[*finding.Finding][]string) {
	b.WriteString("\n| | where | finding |\n|---|---|---|\n")
	for _, f := range fs[:min(len(fs), maxRows)] {
		message, _ := strings.CutSuffix(f.Message, fmt.Sprintf(" (%s)", f.ID.Code))
		text := fmt.Sprintf("%s ([%s](%s))", cell(message), f.ID.Code, f.ID.Code.URL())
		if names := entries[f]; names != nil {
			text = fmt.Sprintf("now also reached from %s: %s", cell(strings.Join(names, ", ")), text)
		}
		if steps := m.steps(f); steps != "" {
			text += "<details><summary>path</summary>" + steps + "</details>"
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", f.Severity, m.place(f.Position.Filename, f.Position.Line), text)
	}
	if more := len(fs) - maxRows; more > 0 {
		fmt.Fprintf(b, "\nand %d more\n", more)
	}
}

// steps is a witness on one line of the table, in HTML.
func (m *markdown) steps(f *finding.Finding) string {
	var steps []string
	for _, s := range f.Witness {
		text := cell(stepText(finding.Step{Func: s.Func, Note: s.Note}, ""))
		if s.Pos.IsValid() {
			text = m.place(s.Pos.Filename, s.Pos.Line) + " " + text
		}
		steps = append(steps, text)
	}
	return strings.Join(steps, "<br>")
}

// place names a line, with a link where the code host is known.
func (m *markdown) place(name string, line int) string {
	if name == "" {
		return ""
	}
	file := filepath.ToSlash(relative(name, m.root))
	text := fmt.Sprintf("<code>%s:%d</code>", cell(file), line)
	if link := m.link(file, line); link != "" && !filepath.IsAbs(file) {
		return fmt.Sprintf(`<a href="%s">%s</a>`, html.EscapeString(link), text)
	}
	return text
}

// blobLinks makes links to lines from what the CI of GitHub or GitLab says in
// the environment:
// https://docs.github.com/actions/reference/workflows-and-actions/variables and
// https://docs.gitlab.com/ci/variables/predefined_variables/
func blobLinks(env []string) func(file string, line int) string {
	get := map[string]string{}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		get[name] = value
	}
	prefix := ""
	switch {
	case get["GITHUB_SERVER_URL"] != "" && get["GITHUB_REPOSITORY"] != "" && get["GITHUB_SHA"] != "":
		prefix = get["GITHUB_SERVER_URL"] + "/" + get["GITHUB_REPOSITORY"] + "/blob/" + get["GITHUB_SHA"] + "/"
	case get["CI_PROJECT_URL"] != "" && get["CI_COMMIT_SHA"] != "":
		prefix = get["CI_PROJECT_URL"] + "/-/blob/" + get["CI_COMMIT_SHA"] + "/"
	}
	return func(file string, line int) string {
		if prefix == "" {
			return ""
		}
		u := url.URL{Path: file}
		return fmt.Sprintf("%s%s#L%d", prefix, u.EscapedPath(), line)
	}
}

// cell escapes what would be markup or end a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "\n", " ", "\r", " ").Replace(text)
}
