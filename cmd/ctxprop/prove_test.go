package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// codesWith lists the folders of codes that have the file.
func codesWith(t *testing.T, file string) []string {
	t.Helper()
	names, err := filepath.Glob("../../runtime/testdata/prove/CTX*/" + file)
	if err != nil || len(names) == 0 {
		t.Fatalf("no services with %s: %v", file, err)
	}
	var codes []string
	for _, name := range names {
		code, _, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(name), "../../runtime/testdata/prove/"), "/")
		codes = append(codes, code)
	}
	return codes
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

// TestMendedByHand: of a code without a fix, the service before has the finding,
// the one that somebody mended has none, and a test of theirs compares them.
func TestMendedByHand(t *testing.T) {
	if testing.Short() {
		t.Skip("runs saturation tests")
	}
	for _, code := range codesWith(t, "before/orders.go") {
		dir := "./runtime/testdata/prove/" + code
		for side, want := range map[string][]string{"before": {code}, "after": nil} {
			var got struct{ Findings []struct{ Code string } }
			out := output(t, "ctxprop", "-C", "../..", "-severity", "info", "-format", "json", dir+"/"+side)
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var codes []string
			for _, f := range got.Findings {
				codes = append(codes, f.Code)
			}
			if !slices.Equal(codes, want) {
				t.Errorf("%s/%s: found %v, want %v", code, side, codes, want)
			}
		}
		if out := output(t, "go", "-C", "../..", "test", dir); !strings.HasPrefix(string(out), "ok") {
			t.Errorf("%s", out)
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
		args = append(args, "./runtime/testdata/prove/"+code)
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
			folder := filepath.Base(filepath.Dir(f.File))
			measured[folder] = append(measured[folder], f.ID.Code)
		}
	}
	ran := map[string]bool{}
	for _, s := range got.Scenarios {
		ran[filepath.Base(s.Package)] = true
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
