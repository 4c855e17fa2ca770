package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// gateFormat is a way to print a comparison, and a flag value.
type gateFormat struct {
	name  string
	write func(io.Writer, *comparison) error
}

// gateFormats has the default first.
var gateFormats = []gateFormat{
	{"text", writeGateText}, {"json", writeGateJSON}, {"sarif", writeGateSARIF},
	{"github", newsOnly(writeGitHub)}, {"rdjsonl", newsOnly(writeRDJSONL)}, {"markdown", writeGateMarkdown},
}

func (f *gateFormat) String() string { return f.name }

func (f *gateFormat) Set(name string) error {
	var names []string
	for _, known := range gateFormats {
		if known.name == name {
			*f = known
			return nil
		}
		names = append(names, known.name)
	}
	return unknownFormat(name, names)
}

func (f *gateFormat) print(w io.Writer, c *comparison) error {
	buf := bufio.NewWriter(w)
	err := f.write(buf, c)
	if err == nil {
		err = buf.Flush()
	}
	if err != nil {
		return fmt.Errorf("cannot write the outcome: %v", err)
	}
	return nil
}

// newsOnly makes a format for findings print those that there is news about.
func newsOnly(write func(io.Writer, *report) error) func(io.Writer, *comparison) error {
	return func(w io.Writer, c *comparison) error {
		r := c.report
		r.findings = c.reported()
		return write(w, &r)
	}
}

// writeGateText prints the findings that there is news about as check does, and
// the outcome in a line.
func writeGateText(w io.Writer, c *comparison) error {
	if err := newsOnly(writeText)(w, c); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s, compared with %s\n", c.summary(), c.against())
	return err
}

// writeGateSARIF prints all findings, for a code host that takes what a log
// lacks for fixed. What is new is marked with the standard's baseline states.
func writeGateSARIF(w io.Writer, c *comparison) error {
	r := c.report
	r.states = make(map[*finding.Finding]string)
	for _, f := range c.findings {
		r.states[f] = "unchanged"
	}
	for _, f := range c.new {
		r.states[f] = "new"
	}
	for _, f := range c.wider {
		r.states[f.Finding] = "updated"
	}
	return writeSARIF(w, &r)
}

// comparisonVersion is the version of what gate -format json prints, under the
// same promise as schemaVersion.
const comparisonVersion = 1

// jsonComparison is the one object that gate -format json prints. Findings look
// as they do in the output of check.
type jsonComparison struct {
	Version  int            `json:"version"`
	Dir      string         `json:"dir"`
	Failed   bool           `json:"failed"`
	Base     *jsonBase      `json:"base,omitempty"`     // with -base
	Baseline string         `json:"baseline,omitempty"` // with -baseline: the file
	New      []jsonFinding  `json:"new"`                // never null, like the others
	Wider    []jsonWider    `json:"wider"`              // known, and now reached from further entry points
	Fixed    []jsonFinding  `json:"fixed"`              // with the places that they had; without -base, empty
	Known    int            `json:"known"`              // number of findings that are not new, wider ones included
	Stale    []jsonIdentity `json:"stale"`              // entries of the baseline without a finding
}

type jsonBase struct {
	Rev       string `json:"rev"`       // as it was asked for
	Commit    string `json:"commit"`    // that was compared with
	MergeBase bool   `json:"mergeBase"` // it is where HEAD left Rev's history
}

type jsonWider struct {
	jsonFinding
	NewEntries []string `json:"newEntries"`
}

type jsonIdentity struct {
	ID          finding.Identity `json:"id"`
	Fingerprint string           `json:"fingerprint"`
}

func writeGateJSON(w io.Writer, c *comparison) error {
	out := jsonComparison{
		Version: comparisonVersion, Dir: filepath.ToSlash(c.dir), Failed: c.failed(), Baseline: c.baseline,
		New: []jsonFinding{}, Wider: []jsonWider{}, Fixed: []jsonFinding{}, Stale: []jsonIdentity{},
		Known: len(c.findings) - len(c.new),
	}
	if b := c.base; b != nil {
		out.Base = &jsonBase{b.Rev, b.Commit, b.Merge}
	}
	for _, f := range c.new {
		out.New = append(out.New, c.jsonFinding(f))
	}
	for _, f := range c.wider {
		out.Wider = append(out.Wider, jsonWider{c.jsonFinding(f.Finding), slices.Clone(f.entries)})
	}
	for _, f := range c.fixed {
		out.Fixed = append(out.Fixed, c.jsonFinding(f))
	}
	for _, f := range c.stale {
		out.Stale = append(out.Stale, jsonIdentity{f.ID, f.ID.Fingerprint()})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(out)
}
