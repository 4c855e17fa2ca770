package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/finding"
)

func TestExplanations(t *testing.T) {
	for _, rule := range finding.Rules() {
		source, err := explanations.ReadFile("explain/" + string(rule.Code) + ".md")
		if err != nil {
			t.Errorf("%s has no explanation: %v", rule.Code, err)
			continue
		}
		want := []string{"Why it matters", "Wrong", "Right", "Fix", "Limits"}
		if got := sections(string(source)); !slices.Equal(got, want) {
			t.Errorf("%s has the sections %q, want %q", rule.Code, got, want)
		}
	}
}

func TestNoExplanationWithoutACode(t *testing.T) {
	files, err := explanations.ReadDir("explain")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, ok := finding.Rule(finding.Code(strings.TrimSuffix(f.Name(), ".md"))); !ok {
			t.Errorf("%s explains no code", f.Name())
		}
	}
}

func TestExplain(t *testing.T) {
	for _, name := range []string{"CTX101", "ctx101"} {
		got := run(t, "explain", name)
		if got.code != 0 || got.stderr != "" || !strings.HasPrefix(got.stdout, "CTX101 fresh-context (error, analyzer ctxbackground)\n\n") {
			t.Errorf("explain %s: %+v", name, got)
		}
		for _, want := range []string{"\nWhy it matters\n", "\n    type server struct{ db *sql.DB }\n", "#ctx101\n"} {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("explain %s lacks %q", name, want)
			}
		}
		if strings.Contains(got.stdout, "`") || strings.Contains(got.stdout, "## ") {
			t.Errorf("explain %s prints Markdown", name)
		}
	}
}

// codeOf returns the code block of a section and its language, go or json.
func codeOf(source, section string) (code, language string) {
	_, rest, _ := strings.Cut(source, "\n## "+section+"\n")
	_, rest, _ = strings.Cut(rest, "```")
	language, rest, _ = strings.Cut(rest, "\n")
	code, _, _ = strings.Cut(rest, "```")
	return code, language
}

// sections returns the headings in order.
func sections(source string) []string {
	var names []string
	for line := range strings.Lines(source) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok {
			names = append(names, name)
		}
	}
	return names
}

// stubModule is what examples in Go import besides the standard library.
const stubModule = `-- go.mod --
module example.com/shop

go 1.26

require google.golang.org/grpc v1.85.0

replace google.golang.org/grpc => ./stub
-- stub/go.mod --
module google.golang.org/grpc

go 1.26
-- stub/grpc.go --
package grpc

type (
	DialOption interface{}
	ClientConn struct{}
)

func NewClient(target string, opts ...DialOption) (*ClientConn, error) { return nil, nil }
func WithMaxCallAttempts(n int) DialOption                            { return nil }
func WithDisableRetry() DialOption                                    { return nil }
`

// The wrong code has the finding that it is about, the right code none. Code
// that does not compile has no findings at all, and no report.
func TestExplanationsHoldForTheSuite(t *testing.T) {
	archive := stubModule
	var configs []string
	for _, rule := range finding.Rules() {
		source, err := explanations.ReadFile("explain/" + string(rule.Code) + ".md")
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range []string{"Wrong", "Right"} {
			code, language := codeOf(string(source), section)
			name := fmt.Sprintf("%s/%s/shop.%s", rule.Code, section, language)
			archive += fmt.Sprintf("-- %s --\n%s", name, code)
			if language == "json" {
				configs = append(configs, name)
			}
		}
	}
	dir := module(t, archive)
	got := make(map[string][]finding.Code)
	findings := func(args ...string) {
		var stdout, stderr bytes.Buffer
		Main(t.Context(), os.Environ(), nil, &stdout, &stderr, args)
		var r jsonReport
		if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
			t.Fatalf("%v: %s", err, &stderr)
		}
		for _, f := range r.Findings {
			at := path.Dir(f.Position.File)
			got[at] = append(got[at], f.Code)
		}
	}
	findings("-C", dir, "-severity", "info", "-format", "json", "./...")
	t.Chdir(dir)
	findings(append([]string{"config", "-severity", "info", "-format", "json"}, configs...)...)
	for _, rule := range finding.Rules() {
		if codes := got[string(rule.Code)+"/Wrong"]; !slices.Contains(codes, rule.Code) {
			t.Errorf("%s: the wrong code has the findings %v", rule.Code, codes)
		}
		if codes := got[string(rule.Code)+"/Right"]; codes != nil {
			t.Errorf("%s: the right code has the findings %v", rule.Code, codes)
		}
	}
}
