package prove

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goRun runs the go command in a new module and returns what it printed.
func goRun(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCanary runs a test on an overlay with and without coverage. Under
// coverage, the go command compiles the original, and only the canary tells.
func TestCanary(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod":    "module example.com/m\n\ngo 1.26\n",
		"a.go":      "package m\n\nfunc Answer() int { return 1 }",
		"a_test.go": "package m\n\nimport \"testing\"\n\nfunc TestAnswer(t *testing.T) { t.Log(\"answer\", Answer()) }\n",
	})
	name := filepath.Join(dir, "a.go")
	o, err := NewOverlay(t.TempDir(), map[string]string{name: "package m\n\nfunc Answer() int { return 2 }"})
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{dir: true}
	out := goRun(t, dir, "test", "-v", o.Flag(), ".")
	if !strings.Contains(out, "answer 2") || o.missing(out, linked) != nil {
		t.Errorf("with the overlay, missing is %v after\n%s", o.missing(out, linked), out)
	}
	out = goRun(t, dir, "test", "-v", ".")
	if !strings.Contains(out, "answer 1") || len(o.missing(out, linked)) != 1 {
		t.Errorf("without the overlay, missing is %v after\n%s", o.missing(out, linked), out)
	}
	if o.missing(out, map[string]bool{t.TempDir(): true}) != nil {
		t.Error("a file is missed that the test is not linked from")
	}
	out = goRun(t, dir, "test", "-v", "-cover", o.Flag(), ".")
	if got := len(o.missing(out, linked)) == 0; got != strings.Contains(out, "answer 2") {
		t.Errorf("under coverage, the canary and the test disagree on what ran:\n%s", out)
	}
}

// TestOverlayPositions: the canary moves nothing, and what the compiler says of
// the backing file is said of the original.
func TestOverlayPositions(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.go")
	write(t, dir, map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "a.go": "package m\n"})
	o, err := NewOverlay(t.TempDir(), map[string]string{name: "package m\n\nvar a = missing\n"})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", o.Flag(), ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(o.original(string(out), dir), name+":3:9: undefined: missing") {
		t.Errorf("%v\n%s", err, o.original(string(out), dir))
	}
	if text, ok := o.Content(name); !ok || !strings.HasPrefix(text, "package m\n\nvar a = missing\n") {
		t.Errorf("content of %s: %q", name, text)
	}
}

func TestCheckFlags(t *testing.T) {
	for flags, wrong := range map[string]string{
		"":                              "",
		"-mod=vendor -race -run=cover":  "",
		"-cover=false":                  "",
		"-cover":                        "-cover:",
		"--cover":                       "--cover:",
		"-v '-coverpkg=./...'":          "-coverpkg=./...:",
		"-covermode=atomic":             "-covermode=atomic:",
		"-coverprofile=c.out -mod=mod":  "-coverprofile=c.out:",
		"-overlay=/tmp/o.json -mod=mod": "-overlay=/tmp/o.json:",
	} {
		err := CheckFlags(flags)
		if wrong == "" && err != nil || wrong != "" && (err == nil || !strings.HasPrefix(err.Error(), wrong)) {
			t.Errorf("%q: %v", flags, err)
		}
	}
}

// lines encodes the events of a run.
func lines(t *testing.T, events ...event) string {
	t.Helper()
	var b strings.Builder
	for _, e := range events {
		e.Package = "example.com/m"
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	return b.String()
}
