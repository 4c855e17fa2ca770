package cli

import (
	"slices"
	"testing"

	"github.com/ctxprop/ctxprop/internal/finding"
)

func TestDefaults(t *testing.T) {
	o, err := parseOptions(nil)
	if err != nil {
		t.Fatal(err)
	}
	if o.format.name != "text" || o.severity != finding.Warning || !o.tests || !slices.Equal(o.patterns, []string{"."}) {
		t.Errorf("got %+v", o)
	}
}

func TestFlags(t *testing.T) {
	dir := t.TempDir()
	o, err := parseOptions([]string{
		"-format=json", "-severity", "info", "-tests=false", "-C", dir, "-tags", "a,b",
		"-own", "example.com/a, example.com/b", "-own", "example.com/a", "-catalog", "quiet example.com/rpc.Call", "-codes", "CTX203=off", "-codes=all=info@gen", "-threshold=12", "-v", "./x", "./y",
	})
	if err != nil {
		t.Fatal(err)
	}
	if o.format.name != "json" || o.severity != finding.Info || o.tests || o.dir != dir || o.tags != "a,b" || o.catalog != "quiet example.com/rpc.Call" || o.codes.String() != "CTX203=off,all=info@gen" || o.threshold != 12 || !o.verbose {
		t.Errorf("got %+v", o)
	}
	if want := (list{"example.com/a", "example.com/b"}); !slices.Equal(o.own, want) {
		t.Errorf("own is %v, want %v", o.own, want)
	}
	if want := []string{"./x", "./y"}; !slices.Equal(o.patterns, want) {
		t.Errorf("patterns are %v, want %v", o.patterns, want)
	}
}

func TestWhyTakesAPlace(t *testing.T) {
	for text, want := range map[string]place{
		"a.go:3":                    {"a.go", 3},
		"a/b.go:12:7":               {"a/b.go", 12},
		`C:\x\a.go:4`:               {`C:\x\a.go`, 4},
		"a.go:4:1:2":                {"a.go:4", 1},
		"a.go":                      {},
		"a.go:":                     {},
		":3":                        {},
		"a.go:0":                    {},
		"a.go:-1":                   {},
		"a.go:x":                    {},
		"":                          {},
		"a.go:99999999999999999999": {},
	} {
		var got place
		if err := got.Set(text); got != want || (err != nil) != (want == place{}) {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"-formt", "json"}, "unknown flag -formt; did you mean -format?"},
		{[]string{"check", "-sverity=error"}, "unknown flag -sverity; did you mean -severity?"},
		{[]string{"-zzzzzz"}, "unknown flag -zzzzzz; see ctxprop help"},
		{[]string{"init", "-zzzzzz"}, "unknown flag -zzzzzz; see ctxprop help init"},
		{[]string{"gate", "-zzzzzz"}, "unknown flag -zzzzzz; see ctxprop help gate"},
		{[]string{"-format", "jsn"}, `invalid value "jsn" for flag -format: unknown format; did you mean json?`},
		{[]string{"-format", "yaml"}, `invalid value "yaml" for flag -format: unknown format: use one of text, json, sarif, github, rdjsonl, markdown`},
		{[]string{"-o", "x.sarif"}, `invalid value "x.sarif" for flag -o: want FORMAT=FILE`},
		{[]string{"-o", "jsn=x"}, `invalid value "jsn=x" for flag -o: unknown format; did you mean json?`},
		{[]string{"-prune"}, "-write-baseline and -prune are about the file of -baseline FILE"},
		{[]string{"gate", "./..."}, "gate compares with a revision, such as -base origin/main, or with a file of known findings: -baseline FILE"},
		{[]string{"gate", "-bse", "main"}, "unknown flag -bse; did you mean -base?"},
		{[]string{"gate", "-base", "main", "-o", "pdf=x"}, `invalid value "pdf=x" for flag -o: unknown format: use one of text, json, sarif, github, rdjsonl, markdown`},
		{[]string{"-severity", "warn"}, `invalid value "warn" for flag -severity: unknown severity "warn": use error, warning or info`},
		{[]string{"-tests=maybe"}, `invalid boolean value "maybe" for -tests: parse error`},
		{[]string{"-why", "a.go"}, `invalid value "a.go" for flag -why: want FILE:LINE`},
		{[]string{"-catalog", "blok x.Y"}, `invalid value "blok x.Y" for flag -catalog: line:1: unknown kind "blok": use one of fresh, derive, detach, carry, bare, block, wait, twin, quiet, noreturn, sync, spawn, later, shared, retry, handler, expensive, root, service, provider`},
		{[]string{"-C"}, "flag needs an argument: -C"},
		{[]string{"./...", "-v"}, "flag -v comes after a package; flags go first"},
		{[]string{"chekc", "./..."}, `unknown command "chekc"; did you mean check?`},
		{[]string{"explian", "CTX101"}, `unknown command "explian"; did you mean explain?`},
		{[]string{"explain"}, "explain takes one code, such as CTX101"},
		{[]string{"explain", "CTX101", "CTX102"}, "explain takes one code, such as CTX101"},
		{[]string{"explain", "CTX011"}, `unknown code "CTX011"; did you mean CTX001?`},
		{[]string{"explain", "nonsense"}, `unknown code "nonsense"; the codes are CTX001, CTX101, CTX102, CTX103, CTX104, CTX105, CTX106, CTX107, CTX201, CTX202, CTX203, CTX204, CTX205, CTX206, CTX301, CTX302, CTX303, CTX304, CTX305, CTX306, CTX307, CTX308, CTX309, CTX310, CTX311`},
		{[]string{"explain", "fresh-context"}, "explain takes a code; fresh-context is CTX101"},
		{[]string{"version", "please"}, "version takes no arguments"},
		{[]string{"help", "CTX101"}, "help takes a command; for a code: ctxprop explain CTX101"},
		{[]string{"help", "prov"}, `unknown command "prov"; did you mean prove?`},
	}
	for _, test := range tests {
		got := run(t, test.args...)
		if want := (outcome{code: 2, stderr: "ctxprop: " + test.want + "\n"}); got != want {
			t.Errorf("ctxprop %q: got %+v, want %+v", test.args, got, want)
		}
	}
}

func TestPathsAreNoMisspeltCommands(t *testing.T) {
	names := []string{"check", "explain", "version", "help"}
	for _, arg := range []string{"./check1", "chec/k", "fmt", "hash", "errors", "expvar", "regexp", "...", "all", "std"} {
		if near := misspelt(arg, names); near != "" {
			t.Errorf("%q is taken for %s", arg, near)
		}
	}
}
