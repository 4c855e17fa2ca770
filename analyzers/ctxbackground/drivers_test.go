package ctxbackground_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/ctxprop/ctxprop/internal/finding"
)

func TestDrivers(t *testing.T) {
	tool := buildCommand(t)
	t.Run("agree", func(t *testing.T) { testAgreement(t, tool) })
	t.Run("dependencies", func(t *testing.T) { testDependencies(t, tool) })
}

// testAgreement runs one program through go vet and through the command.
// Vet reports a severed callee at each package's closing call and names the
// home in the message; the command reports it at its home. Both must mean the
// same findings.
func testAgreement(t *testing.T, tool string) {
	dir, archive := unpack(t, "testdata/drivers.txtar")
	every, program := marks(archive, "finding"), marks(archive, "program")
	vet := run(t, dir, "go", "vet", "-vettool="+tool, "-json", "-ctxbackground.severity=info", "-ignoredctx.severity=info", "./...")
	t.Run("vet", func(t *testing.T) { compare(t, fromVet(t, vet), every) })
	command := run(t, dir, tool, "-severity", "info", "-format", "json", "./...")
	t.Run("command", func(t *testing.T) { compare(t, fromCommand(t, command), append(every, program...)) })
}

// testDependencies: whose code a package is, the drivers learn in
// different ways. A dependency's losses are its own unless it is named.
func testDependencies(t *testing.T, tool string) {
	dir, _ := unpack(t, "testdata/own.txtar")
	loss := []string{"CTX102 lib/lib.go:8"}
	for _, test := range []struct {
		dir, own string
		want     []string
	}{
		{".", "", nil},
		{".", "example.com/lib", loss},
		{"replaced/app", "", nil},
		{"replaced/app", "example.com/lib", loss},
	} {
		t.Run(test.dir+" "+test.own, func(t *testing.T) {
			module := filepath.Join(dir, test.dir)
			vet := run(t, module, "go", "vet", "-vettool="+tool, "-json", "-ctxflow.own="+test.own, "./...")
			compare(t, fromVet(t, vet), test.want)
			command := run(t, module, tool, "-own", test.own, "-format", "json", "./...")
			compare(t, fromCommand(t, command), test.want)
		})
	}
}

// buildCommand builds the command, which is the vet tool too.
func buildCommand(t *testing.T) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "ctxprop")
	run(t, ".", "go", "build", "-o", tool, "../../cmd/ctxprop")
	return tool
}

func unpack(t *testing.T, name string) (dir string, archive *txtar.Archive) {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, f := range archive.Files {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir, archive
}

// run returns what a command prints. Exit codes are for other tests: the
// command's says that there are findings.
func run(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited || stdout.Len() == 0 && stderr.Len() > 0 {
		t.Fatalf("%v: %v\n%s", cmd, err, stderr.String())
	}
	return stdout.Bytes()
}

// marks lists the comments "VERB: CODE" as "CODE dir/file.go:line". A
// directive that is marked where a reason is read as its reason would change
// its meaning, so that one without a reason is marked by what is missing.
func marks(archive *txtar.Archive, verb string) []string {
	var out []string
	for _, f := range archive.Files {
		line := 0
		for l := range strings.Lines(string(f.Data)) {
			line++
			if _, code, ok := strings.Cut(l, "// "+verb+": "); ok {
				out = append(out, fmt.Sprintf("%s %s:%d", strings.TrimSpace(code), f.Name, line))
			}
			if verb == "finding" && strings.TrimSpace(l) == "//ctxprop:allow CTX101" {
				out = append(out, fmt.Sprintf("%s %s:%d", finding.BadDirective, f.Name, line))
			}
		}
	}
	return out
}

// homeInMessage matches the place of a home in another package.
var homeInMessage = regexp.MustCompile(`makes its own context \(([^():]+\.go:\d+)\)`)

func fromVet(t *testing.T, output []byte) []string {
	t.Helper()
	type diagnostic struct{ Category, Posn, Message string }
	var out []string
	dec := json.NewDecoder(bytes.NewReader(withoutComments(output)))
	for {
		var packages map[string]map[string][]diagnostic
		if err := dec.Decode(&packages); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, output)
		}
		for _, analyzers := range packages {
			for _, diagnostics := range analyzers {
				for _, d := range diagnostics {
					file, line, _ := strings.Cut(d.Posn, ":")
					line, _, _ = strings.Cut(line, ":")
					at := shortFile(file) + ":" + line
					if m := homeInMessage.FindStringSubmatch(d.Message); m != nil {
						at = m[1]
					}
					out = append(out, d.Category+" "+at)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out) // packages that share a home
}

// withoutComments drops the lines with which go vet says what package follows.
func withoutComments(output []byte) []byte {
	var out []byte
	for line := range bytes.Lines(output) {
		if !bytes.HasPrefix(line, []byte("#")) {
			out = append(out, line...)
		}
	}
	return out
}

func fromCommand(t *testing.T, output []byte) []string {
	t.Helper()
	var report struct {
		Findings []struct {
			Code     string
			Position struct {
				File string
				Line int
			}
		}
	}
	if err := json.Unmarshal(output, &report); err != nil {
		t.Fatalf("%v in\n%s", err, output)
	}
	var out []string
	for _, f := range report.Findings {
		out = append(out, fmt.Sprintf("%s %s:%d", f.Code, shortFile(f.Position.File), f.Position.Line))
	}
	slices.Sort(out)
	return out
}

func shortFile(name string) string {
	name = filepath.ToSlash(name)
	dir, base := filepath.Split(name)
	return filepath.Base(dir) + "/" + base
}

// compare reports what one list has and the other has not, repeats included.
func compare(t *testing.T, got, want []string) {
	t.Helper()
	rest := slices.Clone(want)
	for _, g := range got {
		if i := slices.Index(rest, g); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		} else {
			t.Errorf("unexpected: %s", g)
		}
	}
	for _, w := range rest {
		t.Errorf("missing: %s", w)
	}
}
