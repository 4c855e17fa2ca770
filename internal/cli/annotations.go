package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// writeGitHub prints a workflow command per finding, which GitHub Actions shows
// beside the line:
// https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
func writeGitHub(w io.Writer, r *report) error {
	root := repositoryRoot(r.dir)
	for _, f := range r.findings {
		level := f.Severity.String()
		if f.Severity == finding.Info {
			level = "notice"
		}
		props := []string{}
		add := func(name string, value any) {
			props = append(props, fmt.Sprintf("%s=%s", name, escapeProperty.Replace(fmt.Sprint(value))))
		}
		if f.Position.Filename != "" {
			add("file", filepath.ToSlash(relative(f.Position.Filename, root)))
			add("line", f.Position.Line)
			if f.EndPosition.IsValid() {
				add("endLine", f.EndPosition.Line)
			}
			add("col", f.Position.Column)
		}
		rule, _ := finding.Rule(f.ID.Code)
		add("title", fmt.Sprintf("%s %s", f.ID.Code, rule.Name))
		if _, err := fmt.Fprintf(w, "::%s %s::%s\n", level, strings.Join(props, ","), escapeData.Replace(f.Message)); err != nil {
			return err
		}
	}
	return nil
}

var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// The types below are reviewdog's diagnostic format, one object per line:
// https://github.com/reviewdog/reviewdog/tree/master/proto/rdf
type (
	rdDiagnostic struct {
		Message     string         `json:"message"`
		Location    rdLocation     `json:"location"`
		Severity    string         `json:"severity"`
		Source      rdSource       `json:"source"`
		Code        rdCode         `json:"code"`
		Suggestions []rdSuggestion `json:"suggestions,omitempty"`
	}
	rdLocation struct {
		Path  string   `json:"path"`
		Range *rdRange `json:"range,omitempty"`
	}
	rdRange struct {
		Start rdPosition  `json:"start"`
		End   *rdPosition `json:"end,omitempty"`
	}
	rdPosition struct {
		Line   int `json:"line"`
		Column int `json:"column,omitempty"` // in bytes of UTF-8, from 1
	}
	rdSource struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	rdCode struct {
		Value finding.Code `json:"value"`
		URL   string       `json:"url"`
	}
	rdSuggestion struct {
		Range rdRange `json:"range"`
		Text  string  `json:"text"`
	}
)

// writeRDJSONL prints a line of JSON per finding for reviewdog -f=rdjsonl.
func writeRDJSONL(w io.Writer, r *report) error {
	root := repositoryRoot(r.dir)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, f := range r.findings {
		d := rdDiagnostic{
			Message:  f.Message,
			Location: rdLocation{Path: filepath.ToSlash(relative(f.Position.Filename, root))},
			Severity: strings.ToUpper(f.Severity.String()),
			Source:   rdSource{"ctxprop", "https://github.com/ctxprop/ctxprop"},
			Code:     rdCode{f.ID.Code, f.ID.Code.URL()},
		}
		if f.Position.IsValid() {
			d.Location.Range = &rdRange{Start: rdPosition{f.Position.Line, f.Position.Column}}
			if f.EndPosition.IsValid() {
				d.Location.Range.End = &rdPosition{f.EndPosition.Line, f.EndPosition.Column}
			}
		}
		for _, fix := range f.Fixes {
			for _, e := range fix.TextEdits {
				start, end := editRange(r.fset, e)
				if start.Filename == f.Position.Filename {
					d.Suggestions = append(d.Suggestions, rdSuggestion{
						Range: rdRange{rdPosition{start.Line, start.Column}, &rdPosition{end.Line, end.Column}},
						Text:  string(e.NewText),
					})
				}
			}
		}
		if err := enc.Encode(d); err != nil {
			return err
		}
	}
	return nil
}
