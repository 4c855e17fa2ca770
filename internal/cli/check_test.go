package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// chain is a program of three packages: cmd calls store, which calls low,
// which makes a context; each has its tests.
const chain = `
-- go.mod --
module example.com/chain

go 1.26
-- cmd/main.go --
package main

import "example.com/chain/store"

func main() {
	store.Load()
	store.WarnLoad()
	store.InfoLoad()
}
-- store/store.go --
package store

import (
	"context"

	"example.com/chain/low"
)

func Load() context.Context     { return context.Background() }
func WarnLoad() context.Context { return context.Background() }
func InfoLoad() context.Context { return context.Background() }

func use() { low.Ctx() }
-- store/store_test.go --
package store

import "testing"

func TestUse(t *testing.T) { use(); Load() }
-- store/ext_test.go --
package store_test

import (
	"testing"

	"example.com/chain/store"
)

func TestExt(t *testing.T) { store.Load() }
-- low/low.go --
package low

import "context"

func Ctx() context.Context { return context.Background() }
`

func TestFindingsAreSortedOnceAndRelative(t *testing.T) {
	got := runIn(t, module(t, chain), "./...")
	want := `cmd/main.go:6:2: Load is fresh (CTX102)
	cmd/main.go:6: main: calls Load
	context.Background
cmd/main.go:7:2: WarnLoad is fresh (CTX102)
	cmd/main.go:7: main: calls WarnLoad
	context.Background
store/ext_test.go:9:30: Load is fresh (CTX102)
	store/ext_test.go:9: TestExt: calls Load
	context.Background
store/store.go:13:14: Ctx is fresh (CTX102)
	store/store.go:13: use: calls Ctx
	context.Background
store/store_test.go:5:37: Load is fresh (CTX102)
	store/store_test.go:5: TestUse: calls Load
	context.Background
`
	if got != (outcome{code: 3, stdout: filepath.FromSlash(want)}) {
		t.Errorf("got %+v\nwant code 3 and\n%s", got, want)
	}
}

// positions returns the positions of the findings on stdout.
func positions(text string) string {
	var b []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "\t") {
			pos, _, _ := strings.Cut(line, ": ")
			b = append(b, filepath.ToSlash(pos))
		}
	}
	return strings.Join(b, " ")
}

func TestSelection(t *testing.T) {
	dir := module(t, chain)
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{
			"facts of packages that the pattern does not match are needed, their findings not",
			[]string{"./cmd"}, 3, "cmd/main.go:6:2 cmd/main.go:7:2",
		},
		{
			"the tests of added packages are nobody's concern",
			[]string{"-severity", "info", "./cmd"}, 3, "cmd/main.go:6:2 cmd/main.go:7:2 cmd/main.go:8:2",
		},
		{
			"severity counts for the exit code",
			[]string{"-severity=error", "./cmd"}, 3, "cmd/main.go:6:2",
		},
		{
			"without tests",
			[]string{"-tests=false", "./store"}, 3, "store/store.go:13:14",
		},
		{
			"nothing found",
			[]string{"./low"}, 0, "",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := runIn(t, dir, test.args...)
			if got.code != test.code || positions(got.stdout) != test.want || got.stderr != "" {
				t.Errorf("ctxprop %s: got %+v, want code %d and %s", strings.Join(test.args, " "), got, test.code, test.want)
			}
		})
	}
}

func TestExitCodeIgnoresWhatIsNotShown(t *testing.T) {
	dir := module(t, `
-- go.mod --
module example.com/quiet

go 1.26
-- q.go --
package quiet

import "context"

func InfoCtx() context.Context { return context.Background() }
func use()                     { InfoCtx() }
`)
	if got := runIn(t, dir); got != (outcome{}) {
		t.Errorf("an info finding at -severity warning: %+v", got)
	}
	if got := runIn(t, dir, "-severity", "info"); got.code != 3 {
		t.Errorf("an info finding at -severity info: %+v", got)
	}
}

func TestOwnDependencyIsLoadedFromSource(t *testing.T) {
	dir := module(t, `
-- go.mod --
module example.com/app

go 1.26

require example.com/lib v1.0.0

replace example.com/lib => ./lib
-- app.go --
package app

import "example.com/lib"

func use() { lib.Ctx() }
-- lib/go.mod --
module example.com/lib

go 1.26
-- lib/lib.go --
package lib

import "context"

func Ctx() context.Context { return context.Background() }
`)
	if got := runIn(t, dir, "."); got != (outcome{}) {
		t.Errorf("a dependency is described by the catalog alone: %+v", got)
	}
	if got := runIn(t, dir, "-own", "example.com/lib", "."); positions(got.stdout) != "app.go:5:14" {
		t.Errorf("-own: %+v", got)
	}
}

func TestFilesAsPatterns(t *testing.T) {
	dir := module(t, chain)
	got := runIn(t, dir, "store/store.go")
	if got != (outcome{}) { // low is not analysed then, so the call of its Ctx goes unseen
		t.Errorf("got %+v", got)
	}
	got = runIn(t, dir, "low/low.go", "store/store.go")
	if got.code != 1 || !strings.Contains(got.stderr, "named files must all be in one directory") {
		t.Errorf("got %+v", got)
	}
}

func TestDirectoryBehindALink(t *testing.T) {
	dir := module(t, chain)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	if got := runIn(t, link, "./cmd"); positions(got.stdout) != "cmd/main.go:6:2 cmd/main.go:7:2" {
		t.Errorf("got %+v", got)
	}
}

func TestWorkspaceModulesAreOwn(t *testing.T) {
	dir := module(t, `
-- go.work --
go 1.26

use (
	./app
	./lib
)
-- app/go.mod --
module example.com/app

go 1.26
-- app/app.go --
package app

import "example.com/lib"

func use() { lib.Ctx() }
-- lib/go.mod --
module example.com/lib

go 1.26
-- lib/lib.go --
package lib

import "context"

func Ctx() context.Context { return context.Background() }
`)
	if got := runIn(t, dir, "./app"); positions(got.stdout) != "app/app.go:5:14" {
		t.Errorf("%+v", got)
	}
}

func TestBuildTags(t *testing.T) {
	dir := module(t, `
-- go.mod --
module example.com/tagged

go 1.26
-- a.go --
package tagged

import "context"

func Ctx() context.Context { return context.Background() }
-- b.go --
//go:build special

package tagged

func use() { Ctx() }
`)
	if got := runIn(t, dir); got != (outcome{}) {
		t.Errorf("without the tag: %+v", got)
	}
	if got := runIn(t, dir, "-tags", "other,special"); positions(got.stdout) != "b.go:5:14" {
		t.Errorf("with the tag: %+v", got)
	}
}

func TestSameBytesForAnyGOMAXPROCS(t *testing.T) {
	dir := module(t, chain)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first string
	for _, n := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(n)
		got := runIn(t, dir, "-format", "json", "-severity", "info", "./...")
		if first == "" {
			first = got.stdout
		}
		if got.stdout != first || got.code != 3 {
			t.Errorf("GOMAXPROCS=%d prints\n%s\nand 1 prints\n%s", n, got.stdout, first)
		}
	}
}

func TestJSONOfARun(t *testing.T) {
	dir := module(t, chain)
	got := runIn(t, dir, "-format=json", "./cmd")
	var r jsonReport
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
		t.Fatalf("%v in %s", err, got.stdout)
	}
	if r.Version != 1 || r.Dir != filepath.ToSlash(dir) || len(r.Findings) != 2 || got.code != 3 {
		t.Fatalf("got %+v, code %d", r, got.code)
	}
	f := r.Findings[0]
	if want := (jsonPosition{File: "cmd/main.go", Line: 6, Column: 2, Offset: 63}); f.Position != want {
		t.Errorf("position %+v, want %+v", f.Position, want)
	}
	if f.End == nil || f.End.Offset != 63+len("store.Load()") {
		t.Errorf("end %+v", f.End)
	}
	if len(f.Witness) != 2 || f.Witness[0].Position == nil || f.Witness[1].Position != nil {
		t.Errorf("witness %+v", f.Witness)
	}
}

func TestJSONOfACleanRunHasAList(t *testing.T) {
	got := runIn(t, module(t, chain), "-format=json", "./low")
	if !strings.Contains(got.stdout, `"findings": []`) || got.code != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestVerboseGoesToStderr(t *testing.T) {
	got := runIn(t, module(t, chain), "-v", "./low")
	if got.stdout != "" || !strings.Contains(got.stderr, "analysing 1 package: ") {
		t.Errorf("got %+v", got)
	}
}

func TestPanicBecomesAnError(t *testing.T) {
	dir := module(t, `
-- go.mod --
module example.com/boom

go 1.26
-- boom.go --
package boom

func panicHere() {}

func f() { panicHere() }
-- boom_test.go --
package boom
-- above/above.go --
package above

import _ "example.com/boom"
`)
	got := runIn(t, dir, "./...")
	if got.code != 1 || got.stdout != "" {
		t.Errorf("got %+v", got)
	}
	want := "ctxprop: internal error in fake, package example.com/boom: runtime error: index out of range [0] with length 0 (in github.com/ctxprop/ctxprop/internal/cli.causePanic, fake_test.go:"
	if !strings.HasPrefix(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("stderr is\n%s\nwant one line that begins\n%s", got.stderr, want)
	}
}

func TestBrokenStdout(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	w.Close()
	var stderr strings.Builder
	p := &process{env: os.Environ(), stdout: w, stderr: &stderr, suite: fakeSuite}
	code := exitCode(p.run(t.Context(), []string{"-C", module(t, chain), "./cmd"}), &stderr)
	if code != 1 || !strings.HasPrefix(stderr.String(), "ctxprop: cannot write the findings: ") {
		t.Errorf("code %d, stderr %s", code, &stderr)
	}
}
