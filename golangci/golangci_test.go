package golangci_test

import (
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ctxprop/ctxprop/golangci"
)

// settings are values as golangci-lint decodes them: with the keys of mappings
// in lower case.
type settings = map[string]any

// linter is what golangci-lint gets for the settings.
func linter(t *testing.T, conf any) *analysis.Analyzer {
	t.Helper()
	newPlugin, err := register.GetPlugin(golangci.Name)
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := newPlugin(conf)
	if err != nil {
		t.Fatal(err)
	}
	if mode := plugin.GetLoadMode(); mode != register.LoadModeTypesInfo {
		t.Errorf("load mode %s", mode)
	}
	as, err := plugin.BuildAnalyzers()
	if err != nil {
		t.Fatal(err)
	}
	if err := analysis.Validate(as); err != nil {
		t.Error(err)
	}
	if len(as) != 1 || as[0].Name != golangci.Name {
		t.Fatalf("the analyzers are %v: messages would begin with their names", as)
	}
	return as[0]
}

func TestLinter(t *testing.T) {
	a := linter(t, settings{
		"codes":   settings{"ctx203": "off"},
		"catalog": []any{"twin lib.Get use=GetContext class=cache"},
	})
	for _, r := range analysistest.Run(t, analysistest.TestData(), a, "a") {
		for _, d := range r.Action.Diagnostics {
			if len(d.Related) > 0 || len(d.SuggestedFixes) > 1 {
				t.Errorf("golangci-lint takes %d fixes at once and shows %d issues more for: %s", len(d.SuggestedFixes), len(d.Related), d.Message)
			}
			for _, f := range d.SuggestedFixes {
				for _, e := range f.TextEdits {
					if file := r.Action.Package.Fset.File(d.Pos); file != r.Action.Package.Fset.File(e.Pos) {
						t.Errorf("a fix for %s edits another file, which golangci-lint leaves out", file.Name())
					}
				}
			}
		}
	}
}

// Two linters of one process have nothing in common.
func TestSettingsAreOfOneLinter(t *testing.T) {
	const quiet, plain = "quiet", "plain"
	of := map[string]*analysis.Analyzer{
		plain: linter(t, nil),
		quiet: linter(t, settings{"codes": settings{"all": "off"}, "paths": []any{settings{"path": "b", "codes": settings{"CTX101": "on"}}}}),
	}
	for _, name := range []string{quiet, plain} {
		found := map[string]bool{}
		for _, r := range analysistest.Run(discard{}, analysistest.TestData(), of[name], "a") {
			for _, d := range r.Action.Diagnostics {
				found[d.Category] = true
			}
		}
		if want := name == plain; found["CTX101"] != want || found["CTX203"] != want || found["CTX202"] {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// discard is for runs whose expectations are not those of the comments.
type discard struct{}

func (discard) Errorf(string, ...any) {}

func TestBadSettings(t *testing.T) {
	tests := []struct {
		conf any
		want string
	}{
		{settings{"severty": "info"}, `settings: unknown key "severty"; did you mean severity?`},
		{settings{"x": 1}, `settings: unknown key "x": use one of severity, codes, paths, threshold, own, catalog`},
		{settings{"severity": "high"}, `settings: unknown severity "high": use error, warning or info`},
		{settings{"codes": settings{"ctx11": "off"}}, `settings: unknown code "CTX11"; did you mean CTX101?`},
		{settings{"codes": settings{"ctx101": "of"}}, `settings: unknown level "of": use off, on, info, warning or error`},
		{settings{"threshold": 9.5}, `settings: threshold wants a product of attempts, 2 or more`},
		{settings{"tests": false}, `settings: tests is no key here: use run.tests`},
		{settings{"tags": []any{"a"}}, `settings: tags is no key here: use run.build-tags`},
		{settings{"catalog": []any{"quiet a.F", "blok a.G"}}, `settings.catalog:2: unknown kind "blok"`},
		{settings{"paths": []any{settings{"path": "../x", "codes": settings{"all": "off"}}}}, `settings: path "../x" leads upwards`},
		{[]any{"severity"}, `settings: wants a mapping, KEY: VALUE on lines of their own`},
	}
	for _, test := range tests {
		if _, err := golangci.New(test.conf); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%v:\ngot  %v\nwant %s", test.conf, err, test.want)
		}
	}
	_, err := golangci.New(settings{"severity": "high", "tests": true})
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two mistakes: %v", err)
	}
}
