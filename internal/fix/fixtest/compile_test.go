package fixtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

const original = `package p

import "context"

var root = context.Background()
`

// load writes the package and what else is given to a module, and loads it.
func load(t *testing.T, files map[string]string) *pkg {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module p\n\ngo 1.26\n"
	files["p.go"] = original
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.LoadSyntax | packages.NeedModule,
		Dir:  dir,
		Env:  append(os.Environ(), "GOWORK=off", "GOPROXY=off"),
	}, ".")
	if err != nil {
		t.Fatal(err)
	}
	p, err := read(loaded[0])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCheckFixes(t *testing.T) {
	p := load(t, map[string]string{})
	tok := p.loaded.Fset.File(p.loaded.Syntax[0].FileStart)
	edit := func(old, text string) analysis.TextEdit {
		i := strings.Index(original, old)
		return analysis.TextEdit{Pos: tok.Pos(i), End: tok.Pos(i + len(old)), NewText: []byte(text)}
	}
	dropImport := edit("import \"context\"\n", "")
	tests := []struct {
		name  string
		edits [][]analysis.TextEdit // of one fix each
		want  string                // in one of the errors; none if empty
	}{
		{"right", [][]analysis.TextEdit{{edit("Background", "TODO")}}, ""},
		{"equal edits", [][]analysis.TextEdit{{edit("Background", "TODO")}, {edit("Background", "TODO")}}, ""},
		{"with its import", [][]analysis.TextEdit{{edit("context.Background()", "0"), dropImport}}, ""},
		{"unused import", [][]analysis.TextEdit{{edit("context.Background()", "0")}}, "imported and not used"},
		{"import still used", [][]analysis.TextEdit{{dropImport}}, "undefined: context"},
		{"does not parse", [][]analysis.TextEdit{{edit("context.Background()", "(")}}, "expected"},
		{"overlap", [][]analysis.TextEdit{{edit("Background", "TODO")}, {edit("ground", "")}}, "overlaps"},
		{"compiles together only", [][]analysis.TextEdit{{edit("context.Background()", "0")}, {dropImport}}, "alone"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var diagnostics []analysis.Diagnostic
			for _, edits := range test.edits {
				diagnostics = append(diagnostics, analysis.Diagnostic{
					SuggestedFixes: []analysis.SuggestedFix{{Message: "Fix it", TextEdits: edits}},
				})
			}
			expect(t, p.checkFixes(diagnostics), test.want)
		})
	}
}

func TestCheckGoldens(t *testing.T) {
	tests := []struct{ name, golden, want string }{
		{"plain", "package p\n", ""},
		{"wrong plain", "package p\n\nimport \"context\"\n", "imported and not used"},
		{"archive", "-- Fix it --\npackage p\n-- Fix it otherwise --\npackage p\n", ""},
		{"wrong section", "-- Fix it --\npackage p\n-- Break it --\npackage p\n\nvar v int = \"\"\n", `section "Break it"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := load(t, map[string]string{"p.go.golden": test.golden})
			expect(t, p.checkGoldens(), test.want)
		})
	}
}

// expect wants an error that contains want, or none if that is empty.
func expect(t *testing.T, errs []error, want string) {
	t.Helper()
	for _, err := range errs {
		if want == "" {
			t.Errorf("unexpected error: %v", err)
		} else if strings.Contains(err.Error(), want) {
			return
		}
	}
	if want != "" {
		t.Errorf("errors are %v, want one with %q", errs, want)
	}
}
