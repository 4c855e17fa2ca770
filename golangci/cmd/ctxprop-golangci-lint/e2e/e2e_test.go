package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

const (
	root     = "../../../.." // of the repository
	configOf = root + "/.golangci-plugin.yml"
)

// linter and command are the built golangci-lint and ctxprop.
var linter, command string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	linter, command = filepath.Join(dir, "ctxprop-golangci-lint"), filepath.Join(dir, "ctxprop")
	err = errors.Join(build(linter, ".."), build(command, root+"/cmd/ctxprop"))
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// build builds the command in dir. What -trimpath leaves out of the key of the
// go command's cache lets all builds of golangci-lint share what is compiled.
func build(out, dir string, flags ...string) error {
	args := append([]string{"build", "-trimpath", "-ldflags=-s -w", "-o", out}, flags...)
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=") // the nearest go.work
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %v\n%s", cmd, err, text)
	}
	return nil
}

// tree is a copy of code that is to be analysed, with a cache for golangci-lint.
type tree struct{ dir, cache string }

// copyOf copies a folder, or unpacks an archive.
func copyOf(t *testing.T, name string) tree {
	t.Helper()
	tr := tree{t.TempDir(), t.TempDir()}
	if strings.HasSuffix(name, ".txtar") {
		for _, f := range archive(t, name).Files {
			tr.write(t, f.Name, string(f.Data))
		}
		return tr
	}
	if err := os.CopyFS(tr.dir, os.DirFS(name)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(tr.dir, func(name string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Chmod(name, 0o777))
	})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func archive(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (tr tree) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(tr.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (tr tree) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(tr.dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// run runs a program in the tree, which must end with the status.
func (tr tree) run(t *testing.T, status int, name string, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = tr.dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOLANGCI_LINT_CACHE="+tr.cache)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited || cmd.ProcessState.ExitCode() != status {
		t.Fatalf("%v: %v, want exit status %d\n%s%s", cmd, err, status, &out, &errs)
	}
	return out.String(), errs.String()
}

// issue is a finding as golangci-lint and go vet show it.
type issue struct {
	file      string // relative to the tree, with slashes
	line, col int
	text      string
}

func (i issue) String() string { return fmt.Sprintf("%s:%d:%d: %s", i.file, i.line, i.col, i.text) }

func compareIssues(a, b issue) int {
	return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.col, b.col), cmp.Compare(a.text, b.text))
}

// config writes the repository's configuration into the tree, with replacements.
func (tr tree) config(t *testing.T, oldnew ...string) {
	t.Helper()
	text, err := os.ReadFile(configOf)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(oldnew); i += 2 {
		if !strings.Contains(string(text), oldnew[i]) {
			t.Fatalf("the configuration has no %q", oldnew[i])
		}
		text = []byte(strings.Replace(string(text), oldnew[i], oldnew[i+1], 1))
	}
	tr.write(t, ".golangci.yml", string(text))
}

// everything sets the lowest severity.
var everything = []string{"          severity: warning\n", "          severity: info\n"}

// lint runs golangci-lint, with the configuration in the tree, as a user of the
// program bin. Exit status 1 says that there are issues.
func (tr tree) lint(t *testing.T, bin string, patterns ...string) []issue {
	t.Helper()
	report := filepath.Join(t.TempDir(), "report.json")
	args := append([]string{"run", "--path-mode=abs", "--output.json.path=" + report, "--issues-exit-code=0"}, patterns...)
	tr.run(t, 0, bin, args...)
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Issues []struct {
			FromLinter, Text string
			Pos              struct {
				Filename     string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var out []issue
	for _, i := range r.Issues {
		if i.FromLinter != "ctxprop" {
			t.Errorf("an issue of %s: %s", i.FromLinter, i.Text)
		}
		out = append(out, issue{tr.rel(t, i.Pos.Filename), i.Pos.Line, i.Pos.Column, i.Text})
	}
	slices.SortFunc(out, compareIssues)
	return out
}

func (tr tree) rel(t *testing.T, name string) string {
	t.Helper()
	rel, err := filepath.Rel(tr.dir, name)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

// vet runs go vet with ctxprop as its tool.
func (tr tree) vet(t *testing.T, flags ...string) []issue {
	t.Helper()
	args := append([]string{"vet", "-vettool=" + command, "-json"}, flags...)
	stdout, stderr := tr.run(t, 0, "go", append(args, "./...")...)
	type diagnostic struct{ Posn, Message string }
	var out []issue
	for dec := json.NewDecoder(strings.NewReader(stdout)); ; {
		var packages map[string]map[string][]diagnostic
		if err := dec.Decode(&packages); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s%s", err, stdout, stderr)
		}
		for _, analyzers := range packages {
			for _, ds := range analyzers {
				for _, d := range ds {
					at := strings.Split(d.Posn, ":")
					col, err := strconv.Atoi(at[len(at)-1])
					line, err2 := strconv.Atoi(at[len(at)-2])
					if err := errors.Join(err, err2); err != nil {
						t.Fatal(err)
					}
					out = append(out, issue{tr.rel(t, strings.Join(at[:len(at)-2], ":")), line, col, d.Message})
				}
			}
		}
	}
	slices.SortFunc(out, compareIssues)
	return slices.Compact(out)
}

// same reports what one list has and the other has not.
func same[E comparable](t *testing.T, what string, got, want []E) {
	t.Helper()
	for _, g := range got {
		if !slices.Contains(want, g) {
			t.Errorf("%s: too much: %v", what, g)
		}
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("%s: missing: %v", what, w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d, want %d", what, len(got), len(want))
	}
}
