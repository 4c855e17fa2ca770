package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The results are those of a first run whatever golangci-lint has in its cache:
// facts that it keeps in memory while it analyses a dependency, and those that
// it reads back, are the same ones.
func TestCaches(t *testing.T) {
	tr := copyOf(t, "testdata/chain.txtar")
	tr.config(t, everything...)
	cold := tr.lint(t, linter, "./...")
	same(t, "again", tr.lint(t, linter, "./..."), cold)

	for _, file := range []string{"top/top.go", "mid/mid.go", "low/low.go"} {
		tr.write(t, file, tr.read(t, file)+"\n// touched\n")
		same(t, "after touching "+file, tr.lint(t, linter, "./..."), cold)
	}

	inTop := slices.DeleteFunc(slices.Clone(cold), func(i issue) bool { return !strings.HasPrefix(i.file, "top/") })
	tr.write(t, "top/top.go", tr.read(t, "top/top.go")+"\n// touched again\n")
	same(t, "one package, the others from the cache", tr.lint(t, linter, "./top"), inTop)
	fresh := tree{tr.dir, t.TempDir()}
	same(t, "one package, without a cache", fresh.lint(t, linter, "./top"), inTop)
	same(t, "the others, after that one", fresh.lint(t, linter, "./..."), cold)

	// A change two packages away that takes a loss away, and back.
	const call = "s.DB.QueryContext(context.Background(),"
	low := tr.read(t, "low/low.go")
	tr.write(t, "low/low.go", strings.Replace(low, call, "s.DB.QueryContext(s.Ctx,", 1))
	without := slices.DeleteFunc(slices.Clone(cold), func(i issue) bool { return strings.Contains(i.text, "low.Store.Load makes") })
	if len(without) != len(cold)-1 {
		t.Fatalf("%d findings are about low.Store.Load, want 1", len(cold)-len(without))
	}
	same(t, "with one loss less", tr.lint(t, linter, "./..."), without)
	tr.write(t, "low/low.go", low)
	same(t, "with it again", tr.lint(t, linter, "./..."), cold)

	tr.config(t, append(slices.Clone(everything), "codes: {}", "codes: {CTX102: off}")...)
	same(t, "with other settings", tr.lint(t, linter, "./..."), slices.DeleteFunc(slices.Clone(cold), func(i issue) bool { return code(i.text) == "CTX102" }))
}

// A rebuilt golangci-lint does not repeat what another one has left in the cache.
func TestRebuilt(t *testing.T) {
	message, err := filepath.Abs(root + "/analyzers/ctxbackground/message.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(message)
	if err != nil {
		t.Fatal(err)
	}
	const was, is = "makes its own context", "makes a context of its own"
	changed := filepath.Join(t.TempDir(), "message.go")
	if err := os.WriteFile(changed, []byte(strings.ReplaceAll(string(text), was, is)), 0o666); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {message: changed}})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(name, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	rebuilt := filepath.Join(t.TempDir(), "rebuilt")
	if err := build(rebuilt, "..", "-overlay="+name); err != nil {
		t.Fatal(err)
	}

	tr := copyOf(t, root+"/examples/shop")
	tr.config(t)
	want := tr.lint(t, linter, "./...")
	n := 0
	for i := range want {
		if strings.Contains(want[i].text, was) {
			n++
			want[i].text = strings.ReplaceAll(want[i].text, was, is)
		}
	}
	if n == 0 {
		t.Fatal("no message is changed")
	}
	same(t, "of the rebuilt one", tr.lint(t, rebuilt, "./..."), want)
}
