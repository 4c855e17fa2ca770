package prove

import (
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// jsonVersion is the version of what WriteJSON prints. It changes when a field
// disappears or changes its meaning, not when one is added.
const jsonVersion = 1

type jsonReport struct {
	Version   int            `json:"version"`
	Dir       string         `json:"dir"`
	Met       bool           `json:"met"`       // every scenario's verdict is PROVEN or the declared one
	Findings  []jsonFinding  `json:"findings"`  // never null, like the other lists
	Left      []jsonFinding  `json:"left"`      // found with the fixes in, and not expected
	Scenarios []jsonScenario `json:"scenarios"` // in the order in which they ran
}

type jsonFinding struct {
	ID          finding.Identity `json:"id"`
	Fingerprint string           `json:"fingerprint"`
	Message     string           `json:"message"`
	File        string           `json:"file"` // with slashes, relative to Dir if below it
	Line        int              `json:"line"`
	Column      int              `json:"column"`
	Scenarios   []Key            `json:"scenarios"` // that measured its fix
	Verdict     Verdict          `json:"verdict,omitempty"`
	Why         string           `json:"why,omitempty"`
}

type jsonScenario struct {
	Key
	Judgement
	Scenario Scenario      `json:"scenario"`
	Fixes    []string      `json:"fixes"` // fingerprints of the findings
	Before   jsonMeasured  `json:"without_fixes"`
	After    jsonMeasured  `json:"with_fixes"`
	Each     []jsonWithout `json:"each,omitempty"`
}

type jsonMeasured struct {
	Trials []Trial  `json:"trials"`
	Series []Series `json:"series"`
}

type jsonWithout struct {
	Fixes []string `json:"left_out"`
	Judgement
}

// WriteJSON prints a report as one JSON object.
func WriteJSON(w io.Writer, r *Report) error {
	out := jsonReport{
		Version: jsonVersion, Dir: filepath.ToSlash(r.Dir), Met: r.Met(),
		Findings: []jsonFinding{}, Left: []jsonFinding{}, Scenarios: []jsonScenario{},
	}
	for _, f := range r.Findings {
		j := r.jsonFinding(f.Finding)
		j.Verdict, j.Why = f.Verdict, f.Why
		for _, o := range f.Scenarios {
			j.Scenarios = append(j.Scenarios, o.Key)
		}
		out.Findings = append(out.Findings, j)
	}
	for _, f := range r.Left {
		out.Left = append(out.Left, r.jsonFinding(f))
	}
	for _, o := range r.Scenarios {
		j := jsonScenario{
			Key: o.Key, Judgement: o.Judgement, Scenario: o.Before.Scenario,
			Fixes: fingerprints(o.Fixed), Before: measured(o.Before), After: measured(o.After),
		}
		for _, w := range o.Each {
			j.Each = append(j.Each, jsonWithout{fingerprints(w.Fixes), w.Judgement})
		}
		out.Scenarios = append(out.Scenarios, j)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // -> and <- are common in messages, and this is no web page
	enc.SetIndent("", "\t")
	return enc.Encode(out)
}

func (r *Report) jsonFinding(f *finding.Finding) jsonFinding {
	return jsonFinding{
		ID: f.ID, Fingerprint: f.ID.Fingerprint(), Message: f.Message,
		File: filepath.ToSlash(r.file(f)), Line: f.Position.Line, Column: f.Position.Column,
		Scenarios: []Key{},
	}
}

func fingerprints(fs []*finding.Finding) []string {
	out := []string{}
	for _, f := range fs {
		out = append(out, f.ID.Fingerprint())
	}
	return out
}

func measured(m *Measured) jsonMeasured {
	if m == nil {
		m = new(Measured)
	}
	return jsonMeasured{append([]Trial{}, m.Trials...), append([]Series{}, m.Series...)}
}
