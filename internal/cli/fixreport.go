package cli

import (
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"path/filepath"
	"strings"

	"github.com/ctxprop/ctxprop/internal/rewrite"
)

// fixReport is what a run of fix did or, with -diff, would do.
type fixReport struct {
	dir     string
	fset    *token.FileSet
	results []*fixResult
	changes []rewrite.Change
	written bool
}

func (r *fixReport) left() int {
	n := 0
	for _, u := range r.results {
		if !u.fixed() {
			n++
		}
	}
	return n
}

func (r *fixReport) diffOf(c rewrite.Change) string {
	return rewrite.Diff(filepath.ToSlash(relative(c.Name, r.dir)), c.Old, c.New)
}

// writeFixText prints each finding with what has become of it below, and a
// summary.
func writeFixText(w io.Writer, r *fixReport) error {
	for _, u := range r.results {
		text := "not fixed: " + u.reason
		if u.fixed() {
			text = u.done(r.written)
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n\t%s\n", positionText(u.finding.Position, r.dir), u.finding.Message, text); err != nil {
			return err
		}
	}
	if len(r.results) == 0 {
		return nil
	}
	verb := "would be fixed"
	if r.written || len(r.changes) == 0 {
		verb = "fixed"
	}
	_, err := fmt.Fprintf(w, "%s %s in %s, %d not\n", count(len(r.results)-r.left(), "finding", "findings"), verb, count(len(r.changes), "file", "files"), r.left())
	return err
}

// done says what was or would be done.
func (u *fixResult) done(written bool) string {
	verb := "would fix: "
	if written {
		verb = "fixed: "
	}
	if u.chain == nil {
		return verb + u.finding.Fixes[0].Message
	}
	takes := " takes a ctx"
	if len(u.chain.Names) > 1 {
		takes = " take a ctx"
	}
	return verb + strings.Join(u.chain.Names, ", ") + takes
}

// jsonFixReport is the one object that fix -format json prints; see jsonReport.
type jsonFixReport struct {
	Version  int             `json:"version"`
	Dir      string          `json:"dir"`
	Written  bool            `json:"written"` // false with -diff, and if there was nothing to write
	Findings []jsonFixResult `json:"findings"`
	Files    []jsonChange    `json:"files"` // that were changed, or would be
}

// jsonFixResult is a finding and what has become of it. Functions are those that
// take a context now, in a chain of calls.
type jsonFixResult struct {
	jsonFinding
	Fixed     bool     `json:"fixed"`
	Reason    string   `json:"reason,omitempty"` // why it is not
	Functions []string `json:"functions,omitempty"`
}

type jsonChange struct {
	File string `json:"file"`
	Diff string `json:"diff"` // unified
}

func writeFixJSON(w io.Writer, r *fixReport) error {
	out := jsonFixReport{Version: schemaVersion, Dir: filepath.ToSlash(r.dir), Written: r.written, Findings: []jsonFixResult{}, Files: []jsonChange{}}
	plain := &report{dir: r.dir, fset: r.fset}
	for _, u := range r.results {
		o := jsonFixResult{jsonFinding: plain.jsonFinding(u.finding), Fixed: u.fixed(), Reason: u.reason}
		if u.fixed() && u.chain != nil {
			o.Functions = u.chain.Homes
		}
		out.Findings = append(out.Findings, o)
	}
	for _, c := range r.changes {
		out.Files = append(out.Files, jsonChange{filepath.ToSlash(relative(c.Name, r.dir)), r.diffOf(c)})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(out)
}
