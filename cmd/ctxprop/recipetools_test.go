//go:build recipes

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The tests in this file need actionlint, shellcheck and pre-commit, which
// .ci/recipes provides.

// TestActionlint holds the workflows on the page about CI, and what they give
// to the action, to actionlint, and all scripts to shellcheck.
func TestActionlint(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	action, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	write("action.yml", string(action))
	for _, name := range []string{".github/workflows/ctxprop.yml", ".github/workflows/ctxprop-comment.yml"} {
		text := recipe(t, name)
		local := strings.Replace(text, "ctxprop/ctxprop@v0.1.0", "./", 1) // so that the inputs are checked
		if local == text {
			t.Errorf("%s does not use the action", name)
		}
		write(name, local)
	}
	lint := func() string {
		cmd := exec.Command("actionlint", "-shellcheck", "shellcheck")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if out := lint(); out != "" {
		t.Errorf("actionlint:\n%s", out)
	}
	// The inputs are checked indeed.
	write(".github/workflows/ctxprop.yml", strings.Replace(recipe(t, ".github/workflows/ctxprop.yml"), "uses: ctxprop/ctxprop@v0.1.0\n        with:\n          upload-sarif", "uses: ./\n        with:\n          upload-serif", 1))
	if out := lint(); !strings.Contains(out, "upload-serif") {
		t.Errorf("actionlint passes a misspelt input: %q", out)
	}
	for _, s := range readAction(t).Runs.Steps {
		if s.Run == "" {
			continue
		}
		cmd := exec.Command("shellcheck", "--shell=bash", "--exclude=SC2153", "-") // variables come from env
		cmd.Stdin = strings.NewReader(s.Run)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", s.Name, err, out)
		}
	}
}

// TestPreCommit runs every hook with pre-commit, with the configuration on the
// page about CI: it clones this repository, and builds and runs the command.
func TestPreCommit(t *testing.T) {
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir, home := t.TempDir(), t.TempDir()
	repo, _, topic, _ := host(t)
	git(t, dir, "clone", "-q", "file://"+repo, ".")
	git(t, dir, "checkout", "-q", topic)
	commit := git(t, source, "rev-parse", "HEAD")
	config := recipe(t, ".pre-commit-config.yaml")
	config = strings.NewReplacer("https://github.com/ctxprop/ctxprop", source, "v0.1.0", commit).Replace(config)
	if !strings.Contains(config, source) || !strings.Contains(config, commit) {
		t.Fatalf("the recipe names no revision of this repository:\n%s", config)
	}
	config = strings.Replace(config, "      - id: ctxprop-gate", "      - id: ctxprop\n      - id: ctxprop-gate", 1)
	if err := os.WriteFile(filepath.Join(dir, ".pre-commit-config.yaml"), []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", ".pre-commit-config.yaml")
	hook := func(id, stage string) (string, int) {
		cmd := exec.Command("pre-commit", "run", "--all-files", "--hook-stage", stage, id)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PRE_COMMIT_HOME="+home, "GIT_CONFIG_GLOBAL="+os.DevNull, "GOFLAGS=-modcacherw")
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	for _, test := range []struct{ id, stage, want, not string }{
		{"ctxprop", "commit", "svc/a.go:8:", ""},
		{"ctxprop-vet", "commit", "svc/a.go:8:", ""},
		{"ctxprop-gate", "push", "svc/b.go:8:", "svc/a.go:8:"},
	} {
		out, code := hook(test.id, test.stage)
		if code != 1 || !strings.Contains(out, test.want) || test.not != "" && strings.Contains(out, test.not) {
			t.Errorf("%s: exit code %d\n%s", test.id, code, out)
		}
	}
	git(t, dir, "rm", "-q", "-r", "svc")
	if err := os.WriteFile(filepath.Join(dir, "clean.go"), []byte("package shop\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", "clean.go")
	for _, id := range []string{"ctxprop", "ctxprop-vet"} {
		if out, code := hook(id, "commit"); code != 0 {
			t.Errorf("%s on clean code: exit code %d\n%s", id, code, out)
		}
	}
}
