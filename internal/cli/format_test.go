package cli

import (
	"bytes"
	"encoding/json"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// sample is a report with one finding in each of three places: below the
// directory of the run, outside it, and in a file of unknown name.
func sample(t *testing.T) *report {
	t.Helper()
	dir := t.TempDir()
	fset := token.NewFileSet()
	name := filepath.Join(dir, "pkg", "a.go")
	file := fset.AddFile(name, -1, 100)
	file.SetLines([]int{0, 10, 20, 30})
	return &report{dir: dir, fset: fset, findings: []*finding.Finding{
		{
			ID:          finding.Identity{Code: finding.FreshContext, Home: "pkg.f", Sink: "(*sql.DB).Exec"},
			Grade:       finding.GradeRequest,
			Severity:    finding.Error,
			Position:    fset.Position(file.Pos(12)),
			EndPosition: fset.Position(file.Pos(22)),
			Message:     "f -> Exec & more (CTX101)",
			Entries:     []string{"pkg.h"},
			Witness: []finding.Step{
				{Func: "h", Pos: fset.Position(file.Pos(1))},
				{Func: "Exec", Note: "blocks"},
			},
			Fixes: []analysis.SuggestedFix{{Message: "Use ctx", TextEdits: []analysis.TextEdit{
				{Pos: file.Pos(12), End: file.Pos(22), NewText: []byte("ctx")},
				{Pos: file.Pos(30), NewText: []byte("x")},
			}}},
		},
		{
			ID:       finding.Identity{Code: finding.SeveredCallee, Ordinal: 1},
			Grade:    finding.GradeContract,
			Position: token.Position{Filename: filepath.Join(filepath.Dir(dir), "other", "b.go"), Line: 3, Column: 4},
			Message:  "outside (CTX102)",
		},
		{Message: "nowhere (CTX106)"},
	}}
}

func TestText(t *testing.T) {
	r := sample(t)
	var b strings.Builder
	if err := writeText(&b, r); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("pkg", "a.go")
	want := name + ":2:3: f -> Exec & more (CTX101)\n" +
		"\t" + name + ":1: h\n" +
		"\tExec: blocks\n" +
		r.findings[1].Position.Filename + ":3:4: outside (CTX102)\n" +
		"-: nowhere (CTX106)\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}

// TestJSONSchema pins the names that programs read. A change here is a change
// of schemaVersion, unless it adds a field.
func TestJSONSchema(t *testing.T) {
	r := sample(t)
	var b bytes.Buffer
	if err := writeJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b.Bytes(), []byte("f -> Exec & more")) {
		t.Error("text is escaped as for a web page")
	}
	var got any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	first := got.(map[string]any)["findings"].([]any)[0]
	text, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"code":"CTX101",` +
		`"end":{"column":3,"file":"pkg/a.go","line":3,"offset":22},` +
		`"entries":["pkg.h"],` +
		`"fingerprint":"` + r.findings[0].ID.Fingerprint() + `",` +
		`"fix":{"edits":[{"end":22,"file":"pkg/a.go","new":"ctx","start":12},{"end":30,"file":"pkg/a.go","new":"x","start":30}],"message":"Use ctx"},` +
		`"grade":"R",` +
		`"id":{"code":"CTX101","home":"pkg.f","ordinal":0,"sink":"(*sql.DB).Exec"},` +
		`"message":"f -\u003e Exec \u0026 more (CTX101)",` +
		`"position":{"column":3,"file":"pkg/a.go","line":2,"offset":12},` +
		`"severity":"error",` +
		`"url":"https://github.com/ctxprop/ctxprop/blob/main/docs/rules.md#ctx101",` +
		`"witness":[{"func":"h","position":{"column":2,"file":"pkg/a.go","line":1,"offset":1}},{"func":"Exec","note":"blocks"}]}`
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	for _, f := range got.(map[string]any)["findings"].([]any)[1:] {
		m := f.(map[string]any)
		if m["fix"] != nil || m["end"] != nil || m["witness"] == nil || m["entries"] == nil {
			t.Errorf("optional fields of %v", m)
		}
	}
}

func TestDedupeKeepsTheFirst(t *testing.T) {
	at := token.Position{Filename: "a.go", Line: 1, Column: 2}
	a := &finding.Finding{ID: finding.Identity{Code: finding.FreshContext}, Position: at}
	again := &finding.Finding{ID: finding.Identity{Code: finding.FreshContext}, Position: at}
	other := &finding.Finding{ID: finding.Identity{Code: finding.FreshContext, Ordinal: 1}, Position: at}
	got := dedupe([]*finding.Finding{a, again, other})
	if len(got) != 2 || got[0] != a || got[1] != other {
		t.Errorf("got %v", got)
	}
}

func TestRelative(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "a.go"):                    "a.go",
		filepath.Join(dir, "..b", "a.go"):             filepath.Join("..b", "a.go"),
		filepath.Join(filepath.Dir(dir), "x", "a.go"): filepath.Join(filepath.Dir(dir), "x", "a.go"),
		"rel.go": "rel.go",
	} {
		if got := relative(path, dir); got != want {
			t.Errorf("relative(%q) is %q, want %q", path, got, want)
		}
	}
}
