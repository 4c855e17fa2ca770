package cli

import (
	"encoding/json"
	"go/token"
	"io"
	"path/filepath"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// schemaVersion is the version of what -format json prints. It changes when a
// field disappears or changes its meaning, not when one is added.
const schemaVersion = 1

// jsonReport is the one object that -format json prints. File names use
// slashes and are relative to Dir if they lie below it. Lines and columns
// count from 1 and columns are bytes, as in Go's own tools; offsets count
// bytes from 0.
type jsonReport struct {
	Version  int           `json:"version"`
	Dir      string        `json:"dir"`
	Findings []jsonFinding `json:"findings"` // sorted by file, line and column; never null
}

// jsonFinding is one finding. ID and Fingerprint are the same in every driver
// and survive moved lines; the rest may change with them.
type jsonFinding struct {
	ID          finding.Identity `json:"id"`
	Fingerprint string           `json:"fingerprint"` // a hash of ID
	Code        finding.Code     `json:"code"`
	Severity    finding.Severity `json:"severity"` // error, warning or info
	Grade       finding.Grade    `json:"grade"`    // R: on behalf of a request; C: of whoever passes a context
	Message     string           `json:"message"`
	URL         string           `json:"url"`
	Position    jsonPosition     `json:"position"`
	End         *jsonPosition    `json:"end,omitempty"`
	Entries     []string         `json:"entries"` // the entry points from which the loss is reached
	Witness     []jsonStep       `json:"witness"` // the way from an entry point to the blocking call
	Fix         *jsonFix         `json:"fix,omitempty"`
}

type jsonPosition struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Offset int    `json:"offset"`
}

type jsonStep struct {
	Func     string        `json:"func"`
	Note     string        `json:"note,omitempty"`
	Position *jsonPosition `json:"position,omitempty"` // absent outside the analysed code
}

// jsonFix is a set of edits that are made together.
type jsonFix struct {
	Message string     `json:"message"`
	Edits   []jsonEdit `json:"edits"`
}

// jsonEdit replaces the bytes from Start up to End, not including it.
type jsonEdit struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

func writeJSON(w io.Writer, r *report) error {
	out := jsonReport{Version: schemaVersion, Dir: filepath.ToSlash(r.dir), Findings: []jsonFinding{}}
	for _, f := range r.findings {
		out.Findings = append(out.Findings, r.jsonFinding(f))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // -> and <- are common in messages, and this is no web page
	enc.SetIndent("", "\t")
	return enc.Encode(out)
}

func (r *report) jsonFinding(f *finding.Finding) jsonFinding {
	out := jsonFinding{
		ID:          f.ID,
		Fingerprint: f.ID.Fingerprint(),
		Code:        f.ID.Code,
		Severity:    f.Severity,
		Grade:       f.Grade,
		Message:     f.Message,
		URL:         f.ID.Code.URL(),
		Position:    r.jsonPosition(f.Position),
		Entries:     append([]string{}, f.Entries...),
		Witness:     []jsonStep{},
	}
	if f.EndPosition.IsValid() {
		end := r.jsonPosition(f.EndPosition)
		out.End = &end
	}
	for _, s := range f.Witness {
		out.Witness = append(out.Witness, r.jsonStep(s))
	}
	if len(f.Fixes) > 0 {
		out.Fix = r.jsonFix(f.Fixes[0])
	}
	return out
}

func (r *report) jsonStep(s finding.Step) jsonStep {
	step := jsonStep{Func: s.Func, Note: s.Note}
	if s.Pos.IsValid() {
		pos := r.jsonPosition(s.Pos)
		step.Position = &pos
	}
	return step
}

func (r *report) jsonFix(fix analysis.SuggestedFix) *jsonFix {
	out := &jsonFix{Message: fix.Message, Edits: []jsonEdit{}}
	for _, e := range fix.TextEdits {
		start, end := editRange(r.fset, e)
		out.Edits = append(out.Edits, jsonEdit{
			File: r.jsonFile(start.Filename), Start: start.Offset, End: end.Offset, New: string(e.NewText),
		})
	}
	return out
}

// editRange is where the bytes of an edit are, whatever a //line comment says.
func editRange(fset *token.FileSet, e analysis.TextEdit) (start, end token.Position) {
	start = fset.PositionFor(e.Pos, false)
	end = start
	if e.End.IsValid() {
		end = fset.PositionFor(e.End, false)
	}
	return start, end
}

func (r *report) jsonPosition(pos token.Position) jsonPosition {
	return jsonPosition{File: r.jsonFile(pos.Filename), Line: pos.Line, Column: pos.Column, Offset: pos.Offset}
}

func (r *report) jsonFile(name string) string {
	return filepath.ToSlash(relative(name, r.dir))
}
