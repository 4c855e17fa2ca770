package cli

import (
	"encoding/json"
	"go/token"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// The types below are the part of SARIF 2.1.0 that the findings need
// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/), with what code hosts
// require beyond the standard: descriptions and help for every rule, relative
// URIs, fingerprints.

const sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name            string      `json:"name"`
	SemanticVersion string      `json:"semanticVersion"`
	InformationURI  string      `json:"informationUri"`
	Rules           []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID                   finding.Code `json:"id"`
	Name                 string       `json:"name"`
	ShortDescription     sarifText    `json:"shortDescription"`
	FullDescription      sarifText    `json:"fullDescription"`
	Help                 sarifText    `json:"help"`
	HelpURI              string       `json:"helpUri"`
	DefaultConfiguration struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
	Properties struct {
		Tags []string `json:"tags"`
	} `json:"properties"`
}

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifResult struct {
	RuleID              finding.Code      `json:"ruleId"`
	RuleIndex           int               `json:"ruleIndex"`
	Level               string            `json:"level"`
	BaselineState       string            `json:"baselineState,omitempty"`
	Message             sarifText         `json:"message"`
	Locations           []sarifLocation   `json:"locations,omitempty"`
	PartialFingerprints map[string]string `json:"partialFingerprints"`
	CodeFlows           []sarifCodeFlow   `json:"codeFlows,omitempty"`
	Fixes               []sarifFix        `json:"fixes,omitempty"`
	Properties          struct {
		Grade   finding.Grade `json:"grade"`
		Entries []string      `json:"entries,omitempty"`
	} `json:"properties"`
}

type sarifLocation struct {
	PhysicalLocation *sarifPhysical `json:"physicalLocation,omitempty"`
	Message          *sarifText     `json:"message,omitempty"`
}

type sarifPhysical struct {
	ArtifactLocation sarifArtifact `json:"artifactLocation"`
	Region           *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI       string `json:"uri"`
	URIBaseID string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type sarifCodeFlow struct {
	ThreadFlows []sarifThreadFlow `json:"threadFlows"`
}

type sarifThreadFlow struct {
	Locations []sarifFlowStep `json:"locations"`
}

type sarifFlowStep struct {
	Location sarifLocation `json:"location"`
}

type sarifFix struct {
	Description     sarifText     `json:"description"`
	ArtifactChanges []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	ArtifactLocation sarifArtifact      `json:"artifactLocation"`
	Replacements     []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	DeletedRegion   sarifRegion `json:"deletedRegion"`
	InsertedContent *sarifText  `json:"insertedContent,omitempty"`
}

// writeSARIF prints one SARIF log with one run.
func writeSARIF(w io.Writer, r *report) error {
	s := &sarifWriter{r: r, root: repositoryRoot(r.dir), lines: newLineReader()}
	run := sarifRun{ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "ctxprop", SemanticVersion: semanticVersion(), InformationURI: "https://github.com/ctxprop/ctxprop"}
	index := map[finding.Code]int{}
	for i, info := range finding.Rules() {
		rule, err := sarifRuleOf(info)
		if err != nil {
			return err
		}
		index[info.Code] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	for _, f := range r.findings {
		res := s.result(f)
		res.RuleIndex = index[f.ID.Code]
		run.Results = append(run.Results, res)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

// semanticVersion is our version without the v of Go's. What was not built from
// a release is before all of them.
func semanticVersion() string {
	self, _ := moduleVersions()
	if v, ok := strings.CutPrefix(self, "v"); ok {
		return v
	}
	return "0.0.0-devel"
}

func sarifRuleOf(info finding.RuleInfo) (sarifRule, error) {
	source, err := explanation(info)
	if err != nil {
		return sarifRule{}, err
	}
	rule := sarifRule{
		ID:               info.Code,
		Name:             pascalCase(info.Name),
		ShortDescription: sarifText{Text: sentence(info.Summary)},
		FullDescription:  sarifText{Text: firstParagraph(source)},
		Help:             sarifText{Text: explanationText(info, source), Markdown: source},
		HelpURI:          info.Code.URL(),
	}
	rule.DefaultConfiguration.Level = sarifLevel(info.Severity)
	rule.Properties.Tags = []string{info.Analyzer, "reliability"}
	return rule, nil
}

func sarifLevel(s finding.Severity) string {
	if s == finding.Info {
		return "note"
	}
	return s.String()
}

func sentence(text string) string { return capitalised(text) + "." }

func pascalCase(kebab string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(kebab, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// firstParagraph is the text below the first heading, as one line.
func firstParagraph(markdown string) string {
	_, text, _ := strings.Cut(markdown, "\n\n")
	text, _, _ = strings.Cut(text, "\n\n")
	return strings.Join(strings.Fields(text), " ")
}

type sarifWriter struct {
	r     *report
	root  string
	lines *lineReader
}

func (s *sarifWriter) result(f *finding.Finding) sarifResult {
	res := sarifResult{
		RuleID:              f.ID.Code,
		Level:               sarifLevel(f.Severity),
		BaselineState:       s.r.states[f],
		Message:             sarifText{Text: f.Message},
		PartialFingerprints: map[string]string{"ctxprop/v1": f.ID.Fingerprint()},
	}
	res.Properties.Grade, res.Properties.Entries = f.Grade, f.Entries
	if at := s.physical(f.Position, f.EndPosition); at != nil {
		res.Locations = []sarifLocation{{PhysicalLocation: at}}
	}
	var flow sarifThreadFlow
	for _, step := range f.Witness {
		if at := s.physical(step.Pos, token.Position{}); at != nil {
			text := stepText(finding.Step{Func: step.Func, Note: step.Note}, "")
			flow.Locations = append(flow.Locations, sarifFlowStep{sarifLocation{PhysicalLocation: at, Message: &sarifText{Text: text}}})
		}
	}
	if len(flow.Locations) > 0 {
		res.CodeFlows = []sarifCodeFlow{{ThreadFlows: []sarifThreadFlow{flow}}}
	}
	for _, fix := range f.Fixes {
		res.Fixes = append(res.Fixes, s.fix(fix))
	}
	return res
}

func (s *sarifWriter) physical(pos, end token.Position) *sarifPhysical {
	if pos.Filename == "" {
		return nil
	}
	at := &sarifPhysical{ArtifactLocation: s.artifact(pos.Filename)}
	if pos.Line > 0 {
		region := s.region(pos, end)
		at.Region = &region
	}
	return at
}

func (s *sarifWriter) region(pos, end token.Position) sarifRegion {
	region := sarifRegion{StartLine: pos.Line, StartColumn: s.lines.utf16Column(pos)}
	if end.IsValid() && end.Filename == pos.Filename {
		region.EndLine, region.EndColumn = end.Line, s.lines.utf16Column(end)
	}
	return region
}

// artifact names a file relative to the repository's root, as code hosts want.
func (s *sarifWriter) artifact(name string) sarifArtifact {
	rel := relative(name, s.root)
	u := url.URL{Path: filepath.ToSlash(rel)}
	if filepath.IsAbs(rel) {
		u.Scheme = "file"
		return sarifArtifact{URI: u.String()}
	}
	return sarifArtifact{URI: u.String(), URIBaseID: "%SRCROOT%"}
}

func (s *sarifWriter) fix(fix analysis.SuggestedFix) sarifFix {
	out := sarifFix{Description: sarifText{Text: fix.Message}}
	at := map[string]int{}
	for _, e := range fix.TextEdits {
		start, end := editRange(s.r.fset, e)
		i, ok := at[start.Filename]
		if !ok {
			i = len(out.ArtifactChanges)
			at[start.Filename] = i
			out.ArtifactChanges = append(out.ArtifactChanges, sarifChange{ArtifactLocation: s.artifact(start.Filename)})
		}
		change := &out.ArtifactChanges[i]
		rep := sarifReplacement{DeletedRegion: s.region(start, end)}
		if len(e.NewText) > 0 {
			rep.InsertedContent = &sarifText{Text: string(e.NewText)}
		}
		change.Replacements = append(change.Replacements, rep)
	}
	return out
}
