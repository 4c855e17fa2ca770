package cli

import (
	"bytes"
	"encoding/json"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// TestSARIF checks what code hosts ask of a log beyond what the standard does.
func TestSARIF(t *testing.T) {
	r := sample(t)
	var b bytes.Buffer
	if err := writeSARIF(&b, r); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	dec := json.NewDecoder(&b)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if len(run.Tool.Driver.Rules) != len(finding.Rules()) {
		t.Errorf("%d rules, want one per code", len(run.Tool.Driver.Rules))
	}
	for _, rule := range run.Tool.Driver.Rules {
		for name, text := range map[string]string{
			"shortDescription": rule.ShortDescription.Text, "fullDescription": rule.FullDescription.Text,
			"help": rule.Help.Text, "help in Markdown": rule.Help.Markdown, "helpUri": rule.HelpURI,
		} {
			if text == "" {
				t.Errorf("%s has no %s", rule.ID, name)
			}
		}
		if !slices.Contains([]string{"error", "warning", "note"}, rule.DefaultConfiguration.Level) {
			t.Errorf("%s: level %q", rule.ID, rule.DefaultConfiguration.Level)
		}
	}
	first := run.Results[0]
	if got := run.Tool.Driver.Rules[first.RuleIndex].ID; got != first.RuleID {
		t.Errorf("the index of %s is that of %s", first.RuleID, got)
	}
	at := first.Locations[0].PhysicalLocation
	if at.ArtifactLocation != (sarifArtifact{"pkg/a.go", "%SRCROOT%"}) || *at.Region != (sarifRegion{2, 3, 3, 3}) {
		t.Errorf("location %+v, region %+v", at.ArtifactLocation, *at.Region)
	}
	if got := first.PartialFingerprints["ctxprop/v1"]; got != r.findings[0].ID.Fingerprint() {
		t.Errorf("fingerprint %q", got)
	}
	if n := len(first.CodeFlows[0].ThreadFlows[0].Locations); n != 1 {
		t.Errorf("%d steps with a place, want 1", n)
	}
	reps := first.Fixes[0].ArtifactChanges[0].Replacements
	if len(reps) != 2 || reps[0].InsertedContent.Text != "ctx" || reps[1].DeletedRegion.StartLine != 4 {
		t.Errorf("replacements %+v", reps)
	}
	if uri := run.Results[1].Locations[0].PhysicalLocation.ArtifactLocation.URI; !strings.HasPrefix(uri, "file:///") {
		t.Errorf("a file outside the repository is %q", uri)
	}
	if run.Results[2].Locations != nil {
		t.Error("a finding of no file has a location")
	}
}

// TestRepositoryRoot: code hosts know files by their place in the repository,
// whatever directory the run was in.
func TestRepositoryRoot(t *testing.T) {
	root := t.TempDir()
	sub := filepath.Join(root, "service", "api")
	if err := os.MkdirAll(sub, 0o777); err != nil {
		t.Fatal(err)
	}
	if got := repositoryRoot(sub); got != sub {
		t.Errorf("without a repository: %s", got)
	}
	// In a linked worktree .git is a file.
	if err := os.WriteFile(filepath.Join(root, ".git"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := repositoryRoot(sub); got != root {
		t.Errorf("below a repository: %s", got)
	}
}

func TestUTF16Column(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(name, []byte("package a\n/* é𝄞 */ x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	lines := newLineReader()
	for column, want := range map[int]int{1: 1, 4: 4, 6: 5, 10: 7, 14: 11, 99: 99} {
		if got := lines.utf16Column(token.Position{Filename: name, Line: 2, Column: column}); got != want {
			t.Errorf("column %d is %d in UTF-16, want %d", column, got, want)
		}
	}
	if got := lines.utf16Column(token.Position{Filename: name + ".gone", Line: 2, Column: 5}); got != 5 {
		t.Errorf("without the file: %d", got)
	}
}

func TestGitHub(t *testing.T) {
	r := sample(t)
	r.findings[0].Message = "50% of\nit (CTX101)"
	var b strings.Builder
	if err := writeGitHub(&b, r); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if want := "::error file=pkg/a.go,line=2,endLine=3,col=3,title=CTX101 fresh-context::50%25 of%0Ait (CTX101)"; lines[0] != want {
		t.Errorf("got  %s\nwant %s", lines[0], want)
	}
	if !strings.HasPrefix(lines[1], "::notice file=/") {
		t.Errorf("an info outside the repository: %s", lines[1])
	}
}

func TestRDJSONL(t *testing.T) {
	r := sample(t)
	var b strings.Builder
	if err := writeRDJSONL(&b, r); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != len(r.findings) {
		t.Fatalf("%d lines for %d findings", len(lines), len(r.findings))
	}
	var d rdDiagnostic
	if err := json.Unmarshal([]byte(lines[0]), &d); err != nil {
		t.Fatal(err)
	}
	if d.Location.Path != "pkg/a.go" || d.Severity != "ERROR" || d.Code.Value != finding.FreshContext || len(d.Suggestions) != 2 {
		t.Errorf("%+v", d)
	}
}
