package ctxflow

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// declaredRules lists the rules of silence that the source declares, so that
// none can be added without look-alikes.
func declaredRules(t *testing.T) []Rule {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "silence.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var rules []Rule
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !isIdent(spec.Type, "Rule") {
			return true
		}
		for _, v := range spec.Values {
			name, err := strconv.Unquote(v.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			rules = append(rules, Rule(name))
		}
		return false
	})
	if len(rules) == 0 {
		t.Fatal("silence.go declares no rules")
	}
	return rules
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
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
	usual := found(prog.analyze(t, Config{}))
	for _, rule := range declaredRules(t) {
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
			without := found(prog.analyze(t, Config{without: map[Rule]bool{rule: true}}))
			var got []string
			for _, line := range without {
				if !slices.Contains(usual, line) {
					at, _, _ := strings.Cut(line, " ")
					got = append(got, at)
				}
			}
			compare(t, got, want)
			for _, line := range usual {
				if !slices.Contains(without, line) {
					t.Errorf("no longer found: %s", line)
				}
			}
		})
	}
}
