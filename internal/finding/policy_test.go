package finding

import (
	"go/token"
	"testing"
)

func TestPolicy(t *testing.T) {
	p, err := ParsePolicy("all=info, CTX203=off,CTX101=error@/repo/api, all=off@**/*_mock.go,CTX102=on@/repo/legacy/**/keep")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		code Code
		file string
		want Severity
		ok   bool
	}{
		{SeveredCallee, "/repo/a.go", Info, true},
		{UncancellableWait, "/repo/a.go", Warning, false},
		{FreshContext, "/repo/api/v1/a.go", Error, true},
		{FreshContext, "/repo/apiv1/a.go", Info, true},  // not below the folder
		{FreshContext, "/other/api/a.go", Info, true},   // an absolute pattern
		{FreshContext, "/repo/api/a_mock.go", 0, false}, // a later rule
		{FreshContext, "/repo/a_mock.go.txt", Info, true},
		{SeveredCallee, "/repo/legacy/keep/a.go", Warning, true}, // what the finding had
		{SeveredCallee, "/repo/legacy/x/y/keep/z/a.go", Warning, true},
		{SeveredCallee, "/repo/legacy/x/y/a.go", Info, true},
		{BadDirective, "", Info, true},
	}
	for _, test := range tests {
		f := &Finding{ID: Identity{Code: test.code}, Severity: Warning, Position: token.Position{Filename: test.file}}
		if got, ok := p.Severity(f); ok != test.ok || ok && got != test.want {
			t.Errorf("%s in %q: %v, %v; want %v, %v", test.code, test.file, got, ok, test.want, test.ok)
		}
	}
	again, err := ParsePolicy(p.String())
	if err != nil || again.String() != p.String() {
		t.Errorf("%q is read as %q, %v", p.String(), again.String(), err)
	}
}

// A pattern that is no absolute path begins at any folder, as a driver that
// does not know where the repository begins needs it.
func TestRelativeGlobs(t *testing.T) {
	tests := []struct {
		glob, file string
		want       bool
	}{
		{"legacy", "/repo/legacy/a.go", true},
		{"./legacy/", "/repo/legacy/a.go", true},
		{"legacy/*.go", "legacy/a.go", true},
		{"legacy/*.go", "legacy/x/a.go", false},
		{"legacy", "/repo/legacy.go", false},
		{"**", "/a.go", true},
		{"**/gen/**", "/repo/gen/a.go", true},
		{"**/gen/**/x.go", "/repo/gen/x.go", true},
		{"[a-c].go", "/repo/b.go", true},
		{"?.go", "/repo/bb.go", false},
	}
	for _, test := range tests {
		p := Policy{{Level: Off, Glob: test.glob}}
		_, ok := p.Severity(&Finding{Position: token.Position{Filename: test.file}})
		if got := !ok; got != test.want {
			t.Errorf("%s and %s: %v, want %v", test.glob, test.file, got, test.want)
		}
	}
}

func TestPolicyErrors(t *testing.T) {
	for text, want := range map[string]string{
		"CTX203":            `"CTX203" is no rule: write CODE=LEVEL, such as CTX203=off, or CODE=LEVEL@PATH`,
		"CTX230=off":        `unknown code "CTX230"; did you mean CTX203?`,
		"ctx203=off":        `unknown code "ctx203": write CTX203`,
		"fresh-context=off": `unknown code "fresh-context": write CTX101`,
		"everything=off":    `unknown code "everything": use one of the table, such as CTX101, or all`,
		"CTX203=of":         `unknown level "of": use off, on, info, warning or error`,
		"CTX203=":           `unknown level "": use off, on, info, warning or error`,
		"CTX203=off@":       `a path is empty`,
		`CTX203=off@a\b`:    `path "a\\b" has a backslash: write slashes on every system`,
		"CTX203=off@../a":   `path "../a" leads upwards: write it from the folder that it is relative to`,
		"CTX203=off@a/[b":   `path "a/[b" is malformed: a [ lacks its ]`,
	} {
		if _, err := ParsePolicy(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if err := CheckGlob("a,b"); err == nil {
		t.Error("a comma would end the rule")
	}
}
