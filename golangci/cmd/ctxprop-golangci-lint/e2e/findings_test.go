package e2e

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// golangci-lint reports what go vet reports, word for word, at every severity:
// on the cases, on the example, over packages with directives at homes and at
// callers, with test files.
func TestFindings(t *testing.T) {
	for _, test := range []struct {
		name, code string
		atLeast    int // findings, or the run has not analysed the code
	}{
		{"cases", root + "/testdata/cases", 20},
		{"shop", root + "/examples/shop", 3},
		{"drivers", root + "/analyzers/ctxbackground/testdata/drivers.txtar", 10},
		{"chain", "testdata/chain.txtar", 11},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := copyOf(t, test.code)
			tr.config(t, everything...)
			got := tr.lint(t, linter, "./...")
			if len(got) < test.atLeast {
				t.Errorf("only %d findings", len(got))
			}
			same(t, "findings", got, tr.vet(t, "-ctxbackground.severity=info", "-ignoredctx.severity=info", "-retrynest.severity=info"))
		})
	}
}

// homeInMessage matches the place of a home in another package.
var homeInMessage = regexp.MustCompile(`makes its own context \(([^():]+\.go:\d+)\)`)

// The command, which sees the whole program, has the same findings and those
// that archives mark as the program's.
func TestCommandAgrees(t *testing.T) {
	for _, name := range []string{root + "/analyzers/ctxbackground/testdata/drivers.txtar", "testdata/chain.txtar"} {
		t.Run(path.Base(name), func(t *testing.T) {
			tr := copyOf(t, name)
			tr.config(t, everything...)
			var got []string
			for _, i := range tr.lint(t, linter, "./...") {
				at := fmt.Sprintf("%s:%d", i.file, i.line)
				if home := homeInMessage.FindStringSubmatch(i.text); home != nil {
					at = home[1]
				}
				got = append(got, code(i.text)+" "+at)
			}
			slices.Sort(got)
			got = slices.Compact(got) // packages that share a home
			same(t, "findings", append(got, program(t, name)...), tr.command(t))
		})
	}
}

// code is the one at the end of a message.
func code(text string) string {
	return strings.TrimSuffix(text[strings.LastIndexByte(text, '(')+1:], ")")
}

// program lists the lines of an archive that are marked "program: CODE".
func program(t *testing.T, name string) []string {
	t.Helper()
	var out []string
	for _, f := range archive(t, name).Files {
		line := 0
		for l := range strings.Lines(string(f.Data)) {
			line++
			if _, code, ok := strings.Cut(l, "// program: "); ok {
				out = append(out, fmt.Sprintf("%s %s:%d", strings.TrimSpace(code), f.Name, line))
			}
		}
	}
	return out
}

// command is what ctxprop itself finds.
func (tr tree) command(t *testing.T) []string {
	t.Helper()
	stdout, _ := tr.run(t, 3, command, "-config", "none", "-severity", "info", "-format", "json", "./...")
	var r struct {
		Findings []struct {
			Code     string
			Position struct {
				File string
				Line int
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v in\n%s", err, stdout)
	}
	var out []string
	for _, f := range r.Findings {
		out = append(out, fmt.Sprintf("%s %s:%d", f.Code, f.Position.File, f.Position.Line))
	}
	return out
}

// Whose code a package is, golangci-lint says in its own way: dependencies have
// versions, the standard library a module without a name.
func TestOwnCode(t *testing.T) {
	const loss = "lib.Do makes its own context"
	for _, test := range []struct {
		dir, own string
		found    bool
	}{
		{".", "", false}, // vendored
		{".", "example.com/lib", true},
		{"replaced/app", "", false},
		{"replaced/app", "example.com/lib", true},
	} {
		t.Run(test.dir+" "+test.own, func(t *testing.T) {
			tr := copyOf(t, root+"/analyzers/ctxbackground/testdata/own.txtar")
			tr.dir += "/" + test.dir
			tr.config(t, "own: []", "own: ["+test.own+"]")
			got := tr.lint(t, linter, "./...")
			if found := len(got) == 1 && strings.Contains(got[0].text, loss); found != test.found || len(got) > 1 {
				t.Errorf("found %v", got)
			}
		})
	}
}

// A nolint comment for the linter holds, as does our own directive; neither
// needs the other.
func TestSuppression(t *testing.T) {
	tr := copyOf(t, root+"/examples/shop")
	tr.config(t)
	before := tr.lint(t, linter, "./...")
	file := before[0].file
	lines := strings.Split(tr.read(t, file), "\n")
	line := lines[before[0].line-1]
	for _, comment := range []string{" //nolint:ctxprop // for a test", " //ctxprop:allow " + code(before[0].text) + " for a test"} {
		lines[before[0].line-1] = line + comment
		tr.write(t, file, strings.Join(lines, "\n"))
		same(t, comment, tr.lint(t, linter, "./..."), before[1:])
	}
}
