package main

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/finding"
)

const proveDir = "runtime/testdata/prove/"

// codesWith lists the folders of codes that have the file.
func codesWith(t *testing.T, file string) []string {
	t.Helper()
	names, err := filepath.Glob("../../" + proveDir + "CTX*/" + file)
	if err != nil || len(names) == 0 {
		t.Fatalf("no services with %s: %v", file, err)
	}
	var codes []string
	for _, name := range names {
		codes = append(codes, folder(filepath.ToSlash(name)))
	}
	return codes
}

// folder is the code's in the name of a file or package.
func folder(name string) string {
	_, below, _ := strings.Cut(name, proveDir)
	code, _, _ := strings.Cut(below, "/")
	return code
}

// output runs a command in the workspace. Its exit code may say anything.
func output(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return out
}

// TestProveFolders: every code is proved, or the list says why it cannot be.
func TestProveFolders(t *testing.T) {
	readme, err := os.ReadFile("../../" + proveDir + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	proved := slices.Concat(codesWith(t, "orders.go"), codesWith(t, "before/orders.go"))
	for _, r := range finding.Rules() {
		code := string(r.Code)
		_, row, listed := strings.Cut(string(readme), "| "+code+" | ")
		row, _, _ = strings.Cut(row, "\n")
		if unprovable := strings.HasSuffix(row, "| - | - |"); !listed || slices.Contains(proved, code) == unprovable {
			t.Errorf("%s: the list says %q, and it is among the folders: %v", code, row, slices.Contains(proved, code))
		}
	}
}

// TestMendedByHand: of a code without a fix, the service before has the finding,
// the one that somebody mended has none, and a test compares them.
func TestMendedByHand(t *testing.T) {
	if testing.Short() {
		t.Skip("runs saturation tests")
	}
	codes := codesWith(t, "before/orders.go")
	want, args := map[string][]string{}, []string{"-C", "../..", "-severity", "info", "-format", "json"}
	for _, code := range codes {
		want[code+"/before"] = []string{code}
		args = append(args, "./"+proveDir+code+"/...")
	}
	var found struct {
		Findings []struct {
			Code     string
			Position struct{ File string }
		}
	}
	out := output(t, "ctxprop", args...)
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := map[string][]string{}
	for _, f := range found.Findings {
		side := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(f.Position.File)), proveDir)
		got[side] = append(got[side], f.Code)
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("found %v, want %v", got, want)
	}
	log := string(output(t, "go", "-C", "../..", "test", "-v", "./"+proveDir+"mended"))
	for _, code := range codes {
		if !strings.Contains(log, "--- PASS: Test"+code+" ") {
			t.Errorf("%s was not shown to be mended:\n%s", code, log)
		}
	}
}

// TestProveCodes proves the fixes of single codes on the services in the runtime
// module, each of which has the fault of the code that its folder is named after.
func TestProveCodes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs saturation tests twice")
	}
	codes := codesWith(t, "orders.go")
	args := []string{"prove", "-C", "../..", "-format", "json"}
	for _, code := range codes {
		args = append(args, "./"+proveDir+code)
	}
	out := output(t, "ctxprop", args...)
	var got struct {
		Findings []struct {
			ID        struct{ Code string }
			File      string
			Scenarios []any
		}
		Left      []struct{ Message string }
		Scenarios []struct {
			Package, Test, Verdict, Why string
			Met                         bool
			Fixes                       []string
		}
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, l := range got.Left {
		t.Errorf("with the fixes in: %s", l.Message)
	}
	measured := map[string][]string{} // codes with a fix that a scenario measured, by folder
	for _, f := range got.Findings {
		if len(f.Scenarios) > 0 {
			at := folder(filepath.ToSlash(f.File))
			measured[at] = append(measured[at], f.ID.Code)
		}
	}
	ran := map[string]bool{}
	for _, s := range got.Scenarios {
		ran[folder(s.Package)] = true
		if !s.Met || len(s.Fixes) == 0 {
			t.Errorf("%s: %s: %s", s.Package, s.Verdict, s.Why)
		}
	}
	for _, code := range codes {
		if !ran[code] {
			t.Errorf("%s: no scenario ran", code)
		}
		if !slices.Contains(measured[code], code) {
			t.Errorf("%s: its scenario measured fixes of %v", code, measured[code])
		}
	}
}
