package cli

import (
	"runtime"
	"strings"
	"testing"
)

func TestIsVetProtocol(t *testing.T) {
	for args, want := range map[string]bool{
		"":                             false,
		"-V=full":                      true,
		"-flags":                       true,
		"/tmp/b001/vet.cfg":            true,
		"-json /tmp/b001/vet.cfg":      true,
		"-fix -diff /tmp/b001/vet.cfg": true,
		"./...":                        false,
		"-version":                     false,
		"-C x ./...":                   false,
		"check ./cfg":                  false,
	} {
		if got := IsVetProtocol(strings.Fields(args)); got != want {
			t.Errorf("%q: got %v", args, got)
		}
	}
}

func TestVetProblemAnswersTheHandshakeOnly(t *testing.T) {
	t.Setenv("GOFLAGS", "-trimpath")
	if err := VetProblem([]string{"-V=full"}); err == nil {
		t.Error("-V=full: want an error")
	}
	for _, args := range []string{"-flags", "-json vet.cfg"} {
		if err := VetProblem(strings.Fields(args)); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestVetProblemOfAnOlderTool(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOVERSION", "go1.999.1")
	err := VetProblem([]string{"-V=full"})
	if err == nil || !strings.Contains(err.Error(), runtime.Version()) || !strings.Contains(err.Error(), "go1.999.1") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

func TestOlderThan(t *testing.T) {
	for _, test := range []struct {
		tool, users string
		older       bool
	}{
		{"go1.26.8", "go1.26.8", false},
		{"go1.26.1", "go1.26.8", false}, // same language and export data
		{"go1.27rc1", "go1.26.8", false},
		{"go1.26.8", "go1.27rc1", true},
		{"go1.26.8", "go1.27.3", true},
		{"go1.9", "go1.26", true},
		{"go1.26.8-custom", "go1.27.0", true},
		{"devel go1.27-abcdef", "go1.28.0", false},
		{"go1.26.8", "devel go1.28-abcdef", false},
		{"go1.26.8", "", false},
	} {
		if err := olderThan(test.tool, test.users); (err != nil) != test.older {
			t.Errorf("tool of %s, code for %s: got %v", test.tool, test.users, err)
		}
	}
}

func TestTrimmedPaths(t *testing.T) {
	for goflags, want := range map[string]bool{
		"":                           false,
		"-trimpath":                  true,
		"-mod=mod --trimpath -v":     true,
		"-trimpath=true":             true,
		"-trimpath=false":            false,
		"-trimpath -trimpath=false":  false,
		"-ldflags=-trimpath":         false,
		"-tags=trimpath -mod=vendor": false,
	} {
		if err := trimmedPaths(goflags); (err != nil) != want {
			t.Errorf("GOFLAGS=%s: got %v", goflags, err)
		}
	}
}
