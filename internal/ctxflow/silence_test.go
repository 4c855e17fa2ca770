package ctxflow

import (
	"slices"
	"strings"
	"testing"
)

// rules are all rules of silence; TestRulesAreTested holds the list to what
// silence.go declares.
var rules = []Rule{
	RuleDefault, RuleValues, RuleAfterDone, RuleRelease, RuleOneStep, RuleResource, RuleApart,
	RuleShared, RuleBlank, RuleProcess, RuleTwin, RuleGenerated, RuleTest,
}

// lookalikes are packages with code that looks like a loss and is right, each
// marked with the rule that says why, beside near misses that must be reported.
func lookalikes(t *testing.T) *program {
	t.Helper()
	sources, err := readTree("testdata/src", "silent")
	if err != nil {
		t.Fatal(err)
	}
	return load(t, sources)
}

func TestSilence(t *testing.T) {
	prog := lookalikes(t)
	compare(t, found(prog.analyze(t, Config{})), prog.sources.marked("reported"))
}

// TestAblation turns each rule off and sees exactly its look-alikes fire, so
// that no rule is there in vain, and none does another's work.
func TestAblation(t *testing.T) {
	prog := lookalikes(t)
	usual := prog.sources.marked("reported")
	for _, rule := range rules {
		t.Run(string(rule), func(t *testing.T) {
			var want []string
			for _, m := range prog.sources.marked("silent") {
				if at, name, _ := strings.Cut(m, " "); name == string(rule) {
					want = append(want, at)
				}
			}
			if len(want) == 0 {
				t.Fatal("no look-alikes")
			}
			var got []string
			for _, line := range found(prog.analyze(t, Config{without: map[Rule]bool{rule: true}})) {
				if !slices.Contains(usual, line) {
					at, _, _ := strings.Cut(line, " ")
					got = append(got, at)
				}
			}
			compare(t, got, want)
		})
	}
}
