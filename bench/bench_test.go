package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReport(t *testing.T) {
	var s samples
	for _, seconds := range []time.Duration{9, 2, 3} { // median 3
		s.add(asCommand, contextcheck, cost{user: 4 * seconds * time.Second, wall: 2 * seconds * time.Second, peak: 800 << 20})
		s.add(asCommand, self, cost{user: seconds * time.Second, wall: seconds * time.Second, peak: 400 << 20})
	}
	var out strings.Builder
	if err := report(&out, s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| contextcheck | 12.00  | 6.00   | 800     | 0.25",
		"| ctxprop      | 3.00   | 3.00   | 400     |",
		"- command: user CPU 0.25 × contextcheck, target 0.40: met\n",
		"- command: peak memory 0.50 × contextcheck, target 0.25: MISSED\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "vettool") {
		t.Errorf("a stage that nobody took is reported:\n%s", out.String())
	}
}

// A failing tool must not count as a quick one.
func TestSpend(t *testing.T) {
	for _, test := range []struct {
		args   []string
		failed bool
	}{
		{[]string{"sh", "-c", "exit 0"}, false},
		{[]string{"sh", "-c", "exit 3"}, false}, // findings
		{[]string{"sh", "-c", "exit 1"}, true},
		{[]string{"sh", "-c", "kill -9 $$"}, true},
		{[]string{"go", "vet", "-nosuchflag"}, true},
		{[]string{filepath.Join(t.TempDir(), "missing")}, true},
	} {
		c, err := spend(t.Context(), t.TempDir(), os.Environ(), test.args)
		if (err != nil) != test.failed {
			t.Errorf("%v: error %v, want one: %v", test.args, err, test.failed)
		}
		if err == nil && (c.wall <= 0 || c.peak <= 0) {
			t.Errorf("%v: cost %+v", test.args, c)
		}
	}
}

func TestEditRestores(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	const before = "package a\n"
	if err := os.WriteFile(file, []byte(before), 0o666); err != nil {
		t.Fatal(err)
	}
	restore, err := edit(file, 7)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(file); !strings.Contains(string(got), "func benchEdit7()") {
		t.Errorf("after edit: %q", got)
	}
	restore()
	if got, _ := os.ReadFile(file); string(got) != before {
		t.Errorf("after restore: %q", got)
	}
}
