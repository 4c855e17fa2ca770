package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProveBrokenFix: a fix that does not compile is found before any test runs,
// at its place in the tree.
func TestProveBrokenFix(t *testing.T) {
	dir := module(t, `
-- go.mod --
module example.com/app

go 1.26

require github.com/ctxprop/ctxprop/runtime v0.0.0

replace github.com/ctxprop/ctxprop/runtime => ./runtime
-- runtime/go.mod --
module github.com/ctxprop/ctxprop/runtime

go 1.26
-- runtime/saturate/saturate.go --
package saturate

func Test() {}
-- app.go --
package app

import "context"

func freshBadFix() { _ = context.Background() }

func handle() {
	freshBadFix()
}
-- app_test.go --
package app

import (
	"testing"

	"github.com/ctxprop/ctxprop/runtime/saturate"
)

func TestApp(t *testing.T) {
	saturate.Test()
	panic("the fix does not compile")
}
`)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	before, err := os.ReadFile(filepath.Join(dir, "app.go"))
	if err != nil {
		t.Fatal(err)
	}
	out := run(t, "prove", "-C", dir)
	if out.code != exitFailure || out.stdout != "" {
		t.Errorf("exit code %d, stdout %q", out.code, out.stdout)
	}
	if !strings.HasPrefix(out.stderr, "ctxprop: with the fixes in, nothing analysed: app.go:8:2: undefined: missing\n") {
		t.Errorf("stderr %q", out.stderr)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "app.go")); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed: %v\n%s", err, after)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
