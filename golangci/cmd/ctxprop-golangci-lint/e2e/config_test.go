package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The repository's configuration is one, also with what is in its comments.
func TestConfig(t *testing.T) {
	tr := copyOf(t, root+"/examples/shop")
	tr.config(t)
	tr.run(t, 0, linter, "config", "verify")

	text := tr.read(t, ".golangci.yml")
	text = regexp.MustCompile(`(?m)^(\s+\w+:) (\{\}|\[\])$`).ReplaceAllString(text, "$1")
	text = regexp.MustCompile(`(?m)^( +)#  `).ReplaceAllString(text, "$1  ")
	for _, example := range []string{"\n            CTX311: off\n", "\n            - path: [", "\n            - quiet "} {
		if !strings.Contains(text, example) {
			t.Errorf("no comment has %q", example)
		}
	}
	tr.write(t, ".golangci.yml", text)
	tr.run(t, 0, linter, "config", "verify")
	tr.run(t, 1, linter, "run", "./...") // the shop's findings: the settings are taken
}

// A mistake ends the run with a line that says what to do.
func TestBadConfig(t *testing.T) {
	for _, test := range []struct{ was, is, want string }{
		{"threshold: 9", "treshold: 9", `settings: unknown key "treshold"; did you mean threshold?`},
		{"codes: {}", "codes: {CTX10: off}", `settings: unknown code "CTX10"; did you mean CTX101?`},
		{"codes: {}", "codes: {CTX101: no}", `settings: unknown level "no": use off, on, info, warning or error`},
		{"catalog: []", "catalog: [blok a.F]", `settings.catalog:1: unknown kind "blok"`},
		{"threshold: 9", "tests: false", `settings: tests is no key here: use run.tests`},
	} {
		tr := copyOf(t, root+"/examples/shop")
		tr.config(t, test.was, test.is)
		if _, stderr := tr.run(t, 3, linter, "run", "./..."); !strings.Contains(stderr, test.want) {
			t.Errorf("%s: %s", test.is, stderr)
		}
	}
}

// golangci-lint custom is told to build the golangci-lint that is tested here.
func TestCustomBuild(t *testing.T) {
	custom, err := os.ReadFile(root + "/.custom-gcl.yml")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, versions := range []struct{ custom, mod string }{
		{`(?m)^version: (\S+)$`, `golangci-lint/v2 (\S+)`},
		{`(?m)^    version: (\S+)$`, `github.com/ctxprop/ctxprop (\S+)`},
	} {
		inCustom := regexp.MustCompile(versions.custom).FindSubmatch(custom)
		inMod := regexp.MustCompile(versions.mod).FindSubmatch(mod)
		if inCustom == nil || inMod == nil || string(inCustom[1]) != string(inMod[1]) {
			t.Errorf(".custom-gcl.yml has %q, go.mod %q", inCustom, inMod)
		}
	}
}
