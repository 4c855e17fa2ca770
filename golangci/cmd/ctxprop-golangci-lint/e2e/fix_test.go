package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// What --fix leaves behind compiles, imports and tests included, has none of
// the findings that were fixed and no new ones.
func TestFix(t *testing.T) {
	for _, test := range []struct {
		name, code string
		fixed      int // findings at least
	}{
		{"cases", root + "/testdata/cases", 8},
		{"shop", root + "/examples/shop", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := copyOf(t, test.code)
			tr.config(t, everything...)
			before := tr.lint(t, linter, "./...")
			_, stderr := tr.run(t, 1, linter, "run", "--fix", "./...")
			if strings.Contains(stderr, "conflict") || strings.Contains(stderr, "skipped") {
				t.Errorf("fixes are left out:\n%s", stderr)
			}
			tr.run(t, 0, "go", "vet", "./...") // builds the tests too
			after := tr.lint(t, linter, "./...")
			if len(before)-len(after) < test.fixed {
				t.Errorf("%d findings before, %d after", len(before), len(after))
			}
			texts := func(is []issue) (out []string) {
				for _, i := range is {
					out = append(out, i.file+": "+i.text)
				}
				return out
			}
			old := texts(before)
			for _, text := range texts(after) {
				if !slices.Contains(old, text) {
					t.Errorf("new: %s", text)
				}
			}
		})
	}
}

// The SARIF that golangci-lint writes has our findings with code and place.
func TestSARIF(t *testing.T) {
	tr := copyOf(t, root+"/examples/shop")
	tr.config(t)
	stdout, _ := tr.run(t, 1, linter, "run", "--show-stats=false", "--output.text.path=stderr", "--output.sarif.path=stdout", "./...")
	var log struct {
		Version string
		Runs    []struct {
			Results []struct {
				RuleID, Level string
				Message       struct{ Text string }
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &log); err != nil {
		t.Fatalf("%v in\n%s", err, stdout)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 {
		t.Fatalf("version %s, %d runs", log.Version, len(log.Runs))
	}
	var got []issue
	for _, r := range log.Runs[0].Results {
		if r.RuleID != "ctxprop" || r.Level != "warning" || len(r.Locations) != 1 {
			t.Errorf("rule %s, level %s, %d places", r.RuleID, r.Level, len(r.Locations))
			continue
		}
		at := r.Locations[0].PhysicalLocation
		got = append(got, issue{at.ArtifactLocation.URI, at.Region.StartLine, at.Region.StartColumn, r.Message.Text})
	}
	same(t, "results", got, tr.lint(t, linter, "./..."))
}
