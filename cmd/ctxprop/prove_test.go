package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestProveCodes proves the fixes of single codes on the services in the runtime
// module, each of which has the fault of the code that its folder is named after.
func TestProveCodes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs saturation tests twice")
	}
	dirs, err := filepath.Glob("../../runtime/testdata/prove/CTX*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no services: %v", err)
	}
	args := []string{"prove", "-C", "../..", "-format", "json"}
	for _, dir := range dirs {
		args = append(args, "./runtime/testdata/prove/"+filepath.Base(dir))
	}
	cmd := exec.Command("ctxprop", args...)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
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
	for _, dir := range dirs {
		code := filepath.Base(dir)
		if !ran[code] {
			t.Errorf("%s: no scenario ran", code)
		}
		if !slices.Contains(measured[code], code) {
			t.Errorf("%s: its scenario measured fixes of %v", code, measured[code])
		}
	}
}
