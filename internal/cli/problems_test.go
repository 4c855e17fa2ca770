package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// broken holds one package per way in which code can be broken.
const broken = `
-- go.mod --
module example.com/broken

go 1.26
-- types/t.go --
package types

var n int = "s"
var m undeclared
-- types/t_test.go --
package types
-- uses/u.go --
package uses

import "example.com/broken/types"

var _ = types.Missing
-- syntax/s.go --
package syntax

func f( {
-- own/o.go --
package own

import "example.com/broken/nowhere"

var _ = nowhere.X
-- dep/d.go --
package dep

import "example.org/nowhere"

var _ = nowhere.X
-- mixed/a.go --
package mixed
-- mixed/b.go --
package other
-- empty/README --
no Go here
-- excluded/e.go --
//go:build never

package excluded
-- many/m.go --
package many

var _ = []int{a, b, c, d, e, f, g, h, i, j, k, l}
-- cycle/a/a.go --
package a

import _ "example.com/broken/cycle/b"
-- cycle/b/b.go --
package b

import _ "example.com/broken/cycle/a"
`

func TestBrokenCode(t *testing.T) {
	dir := module(t, broken)
	tests := []struct {
		pattern string
		want    []string // in stderr, in this order
		lines   int
	}{
		{"./types", []string{"do not build:\n\ttypes/t.go:3:13: cannot use \"s\"", "\ttypes/t.go:4:7: undefined: undeclared\n"}, 3},
		{"./uses", []string{"\ttypes/t.go:3:13: ", "\ttypes/t.go:4:7: "}, 3},
		{"./syntax", []string{"nothing analysed: syntax/s.go:3:9: expected ')', found '{'\n"}, 1},
		{"./own", []string{"own/o.go:3:8: no required module provides package example.com/broken/nowhere"}, 1},
		{"./dep", []string{"dep/d.go:3:8: no required module provides package example.org/nowhere; to add it: go get example.org/nowhere\n"}, 1},
		{"./mixed", []string{"found packages mixed (a.go) and other (b.go) in "}, 1},
		{"./empty", []string{"no Go files in ", "empty; to include the packages below: ctxprop ./...\n"}, 1},
		{"./excluded", []string{"example.com/broken/excluded: build constraints exclude all Go files in "}, 1},
		{"./many", []string{"many/m.go:3:15: undefined: a\n", "\n\tand 2 more; go vet shows them\n"}, 12},
		{"./cycle/a", []string{"import cycle: [example.com/broken/cycle/"}, 1},
		{"./nowhere", []string{"./nowhere: stat ", "nowhere: directory not found\n"}, 1},
		{"./nowhere/...", []string{"pattern ./nowhere/...: "}, 1},
		{"example.org/nowhere", []string{"no required module provides package example.org/nowhere; to add it: go get example.org/nowhere\n"}, 1},
		{"nowhere", []string{"package nowhere is not in std"}, 1},
		{"./empty/...", []string{"no packages match ./empty/...\n"}, 1},
	}
	for _, test := range tests {
		t.Run(test.pattern, func(t *testing.T) {
			got := runIn(t, dir, test.pattern)
			if got.code != 1 || got.stdout != "" {
				t.Errorf("code %d, stdout %q; want 1 and nothing", got.code, got.stdout)
			}
			rest := filepath.ToSlash(got.stderr)
			for _, want := range test.want {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Errorf("stderr lacks %q at its place:\n%s", want, got.stderr)
				}
				rest = after
			}
			if n := strings.Count(got.stderr, "\n"); n != test.lines {
				t.Errorf("%d lines, want %d:\n%s", n, test.lines, got.stderr)
			}
		})
	}
}

func TestNoFindingsBesideABrokenPackage(t *testing.T) {
	got := runIn(t, module(t, chain+"-- bad/bad.go --\npackage bad\n\nvar x undeclared\n"), "./...")
	if got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, "bad/bad.go:3:7: undefined: undeclared") {
		t.Errorf("got %+v", got)
	}
}

func TestBrokenTestsOfUnnamedPackagesDoNotMatter(t *testing.T) {
	dir := module(t, chain+"-- low/low_test.go --\npackage low\n\nvar x undeclared\n")
	if got := runIn(t, dir, "./cmd"); got.code != 3 || got.stderr != "" {
		t.Errorf("got %+v", got)
	}
	if got := runIn(t, dir, "./low"); got.code != 1 || !strings.Contains(got.stderr, "low/low_test.go:3:7: undefined: undeclared") {
		t.Errorf("got %+v", got)
	}
}

func TestNoModule(t *testing.T) {
	dir := module(t, "-- q.go --\npackage q\n")
	for _, args := range [][]string{nil, {"."}, {"./..."}} {
		got := runIn(t, dir, args...)
		if got.code != 1 || !strings.HasPrefix(got.stderr, "ctxprop: no go.mod in "+dir+" or above it; ") {
			t.Errorf("ctxprop %s: %+v", strings.Join(args, " "), got)
		}
	}
	if got := runIn(t, dir, "q.go"); got != (outcome{}) {
		t.Errorf("a single file needs no module: %+v", got)
	}
}

func TestWorkingDirectory(t *testing.T) {
	dir := module(t, chain)
	for name, want := range map[string]string{
		"nowhere": "no such directory\n",
		"go.mod":  "not a directory\n",
	} {
		got := runIn(t, filepath.Join(dir, name))
		if got.code != 1 || !strings.HasPrefix(got.stderr, "ctxprop: -C ") || !strings.HasSuffix(got.stderr, name+": "+want) {
			t.Errorf("-C %s: %+v", name, got)
		}
	}
}

func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can read everything")
	}
	dir := module(t, chain)
	locked := filepath.Join(dir, "low")
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(locked, 0o777)
	for _, run := range [][]string{{dir, "./..."}, {locked, "."}} {
		got := runIn(t, run[0], run[1])
		if got.code != 1 || !strings.Contains(got.stderr, "permission denied") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("-C %s %s: %+v", run[0], run[1], got)
		}
	}
}
