package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const checkout = `package a

func first() {
	work()
}

type T[P any] struct{}

func (t *T[P]) second() {}
`

// checkoutWith is a site with one file of code and one of tests.
func checkoutWith(t *testing.T) *site {
	t.Helper()
	s := &site{dir: t.TempDir()}
	for _, name := range []string{"a.go", "a_test.go"} {
		if err := os.MkdirAll(filepath.Join(s.dir, "a"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.dir, "a", name), []byte(checkout), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Every tool has its own form and its own place for one fault.
func TestSideBySide(t *testing.T) {
	s := checkoutWith(t)
	ours, err := parseOwn([]byte(`{"findings": [
		{"code": "CTX101", "grade": "R", "message": "m", "position": {"file": "a/a.go", "line": 3}},
		{"code": "CTX102", "grade": "C", "message": "m", "position": {"file": "a/a.go", "line": 9}}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	posn := filepath.Join(s.dir, "a", "a.go") + ":4:2"
	inTest := filepath.Join(s.dir, "a", "a_test.go") + ":4:2"
	theirs, err := parseDiagnostics([]byte("# a\n" +
		`{"a": {"peer": [{"posn": "` + posn + `", "message": "x"}]}}` + "\n# a [a.test]\n" +
		`{"a [a.test]": {"peer": [{"posn": "` + posn + `", "message": "x"}, {"posn": "` + inTest + `", "message": "x"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	all := []toolHits{{tool: self}, {tool: "peer"}}
	for i, hits := range [][]hit{ours, theirs} {
		if all[i].hits, err = s.tidy(hits); err != nil {
			t.Fatal(err)
		}
	}
	var table, places strings.Builder
	if err := sideBySide(&table, all); err != nil {
		t.Fatal(err)
	}
	if err := listPlaces(&places, all); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| ctxprop | 0                 | 2                | 2                    |",
		"| peer    | 1                 | 1                | 1                    | 1                        |",
		"| CTX101  | 1  | 0  |",
		"| CTX102  | 0  | 1  |",
	} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in\n%s", want, table.String())
		}
	}
	const want = "function\tctxprop\tpeer\na.T.second\tCTX102 C\t\na.first\tCTX101 R\t1\n"
	if places.String() != want {
		t.Errorf("places %q, want %q", places.String(), want)
	}
}

// An analyzer that has failed must not look like one that has found nothing.
func TestFailedAnalyzer(t *testing.T) {
	if _, err := parseDiagnostics([]byte(`{"a": {"peer": {"error": "panic"}}}`)); err == nil || !strings.Contains(err.Error(), "panic") {
		t.Errorf("error %v, want the analyzer's", err)
	}
	if _, err := parseDiagnostics([]byte("cannot load packages\n")); err == nil {
		t.Error("no error for what is no JSON")
	}
}

func TestSplitPosn(t *testing.T) {
	for _, test := range []struct {
		posn, file string
		line       int
	}{
		{"/a/b.go:12:3", "/a/b.go", 12},
		{`C:\a\b.go:12:3`, `C:\a\b.go`, 12},
		{"-", "-", 0},
	} {
		if file, line := splitPosn(test.posn); file != test.file || line != test.line {
			t.Errorf("%s: %s, %d", test.posn, file, line)
		}
	}
}
