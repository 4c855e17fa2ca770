package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/finding"
)

func TestExplanations(t *testing.T) {
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "source", nil)
	for _, rule := range finding.Rules() {
		source, err := explanations.ReadFile("explain/" + string(rule.Code) + ".md")
		if err != nil {
			t.Errorf("%s has no explanation: %v", rule.Code, err)
			continue
		}
		want := []string{"Why it matters", "Wrong", "Right", "Fix", "Limits"}
		if got := sections(string(source)); !slices.Equal(got, want) {
			t.Errorf("%s has the sections %q, want %q", rule.Code, got, want)
		}
		for _, section := range []string{"Wrong", "Right"} {
			code := codeOf(string(source), section)
			file, err := parser.ParseFile(fset, string(rule.Code)+" "+section, code, parser.SkipObjectResolution)
			if err != nil {
				t.Error(err)
				continue
			}
			config := types.Config{Importer: imports}
			if _, err := config.Check("shop", fset, []*ast.File{file}, nil); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestNoExplanationWithoutACode(t *testing.T) {
	files, err := explanations.ReadDir("explain")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, ok := finding.Rule(finding.Code(strings.TrimSuffix(f.Name(), ".md"))); !ok {
			t.Errorf("%s explains no code", f.Name())
		}
	}
}

func TestExplain(t *testing.T) {
	for _, name := range []string{"CTX101", "ctx101"} {
		got := run(t, "explain", name)
		if got.code != 0 || got.stderr != "" || !strings.HasPrefix(got.stdout, "CTX101 fresh-context (error, analyzer ctxbackground)\n\n") {
			t.Errorf("explain %s: %+v", name, got)
		}
		for _, want := range []string{"\nWhy it matters\n", "\n    type server struct{ db *sql.DB }\n", "#ctx101\n"} {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("explain %s lacks %q", name, want)
			}
		}
		if strings.Contains(got.stdout, "`") || strings.Contains(got.stdout, "## ") {
			t.Errorf("explain %s prints Markdown", name)
		}
	}
}

// codeOf returns the code block of a section.
func codeOf(source, section string) string {
	_, rest, _ := strings.Cut(source, "\n## "+section+"\n")
	_, rest, _ = strings.Cut(rest, "```go\n")
	code, _, _ := strings.Cut(rest, "```")
	return code
}

// sections returns the headings in order.
func sections(source string) []string {
	var names []string
	for line := range strings.Lines(source) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok {
			names = append(names, name)
		}
	}
	return names
}

// The wrong code has just the finding that it is about, the right code none.
func TestExplanationsHoldForTheSuite(t *testing.T) {
	archive := "-- go.mod --\nmodule example.com/shop\n\ngo 1.26\n"
	for _, rule := range finding.Rules() {
		source, err := explanations.ReadFile("explain/" + string(rule.Code) + ".md")
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range []string{"Wrong", "Right"} {
			archive += fmt.Sprintf("-- %s/%s/shop.go --\n%s", rule.Code, section, codeOf(string(source), section))
		}
	}
	var stdout, stderr bytes.Buffer
	args := []string{"-C", module(t, archive), "-severity", "info", "-format", "json", "./..."}
	Main(t.Context(), os.Environ(), nil, &stdout, &stderr, args)
	var r jsonReport
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	got := make(map[string][]finding.Code)
	for _, f := range r.Findings {
		dir := path.Dir(f.Position.File)
		got[dir] = append(got[dir], f.Code)
	}
	for _, rule := range finding.Rules() {
		if codes := got[string(rule.Code)+"/Wrong"]; !slices.Contains(codes, rule.Code) {
			t.Errorf("%s: the wrong code has the findings %v", rule.Code, codes)
		}
		if codes := got[string(rule.Code)+"/Right"]; codes != nil {
			t.Errorf("%s: the right code has the findings %v", rule.Code, codes)
		}
	}
}
