package cli

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
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
