package cli

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/finding"
)

var update = flag.Bool("update", false, "write docs/rules.md and the schemas of output instead of comparing them")

const rulesFile = "../../docs/rules.md"

// TestRulesPage holds docs/rules.md to its sources: the table of codes, the
// pages of explain, and the comments of the rules of silence.
func TestRulesPage(t *testing.T) {
	want := rulesPage(t)
	if *update {
		if err := os.WriteFile(rulesFile, want, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("docs/rules.md is not what its sources say: renew it with go test ./internal/cli -run TestRulesPage -update")
	}
}

// Every diagnostic points to the heading of its code.
func TestRulesPageHasAnchors(t *testing.T) {
	page, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range finding.Rules() {
		file, anchor, ok := strings.Cut(path.Base(rule.Code.URL()), "#")
		if !ok || file != path.Base(rulesFile) {
			t.Errorf("%s is documented at %s, not on the page", rule.Code, rule.Code.URL())
		}
		// GitHub makes the anchor of a heading that is one word by lowering its case.
		if !bytes.Contains(bytes.ToLower(page), []byte("\n## "+anchor+"\n")) {
			t.Errorf("the page has no heading for #%s", anchor)
		}
	}
}

func TestReadmeHasTheCodes(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range finding.Rules() {
		if row := fmt.Sprintf("\n| %s | %s | %s |\n", r.Code, r.Severity, r.Summary); !bytes.Contains(page, []byte(row)) {
			t.Errorf("README.md lacks the line%s", row)
		}
	}
}

// What a rule of silence misses is for the reader to know.
func TestLimitationsNameTheRulesOfSilence(t *testing.T) {
	page, err := os.ReadFile("../../docs/limitations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range silenceRules(t) {
		if !bytes.Contains(page, []byte("`"+r.name+"`")) {
			t.Errorf("docs/limitations.md does not say what the rule %s leaves alone", r.name)
		}
	}
}

const rulesIntro = `# Rules

<!-- Made from the table of codes, the pages of "ctxprop explain" and the rules
of silence in the source. To renew it: go test ./internal/cli -run TestRulesPage -update -->

What ctxprop reports, and what it leaves alone. ` + "`ctxprop explain CODE`" + ` prints
the section of a code; [limitations.md](limitations.md) says what is missed.

Severity depends on whom the code at a finding runs for. On behalf of a request
(grade R), a handler reaches it. By contract (grade C), the function takes a
context, or a value that provides one, and no handler is in sight; that costs
one step. Findings below warning are shown with ` + "`-severity info`" + `.

| code | name | for a request | by contract | says |
|---|---|---|---|---|
`

const silenceIntro = `
## Rules of silence

A fresh context is right in these places, so nothing is reported there.
` + "`ctxprop -why FILE:LINE`" + ` names the rule that applied to a line;
[limitations.md](limitations.md#contexts-that-are-left-alone-on-purpose) says
what each may miss.

| rule | applies where |
|---|---|
`

func rulesPage(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(rulesIntro)
	for _, r := range finding.Rules() {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s | %s |\n", r.Code, strings.ToLower(string(r.Code)), r.Name, r.Severity, byContract(r), r.Summary)
	}
	for _, r := range finding.Rules() {
		source, err := explanations.ReadFile("explain/" + string(r.Code) + ".md")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n## %s\n\n**%s**: %s.\n\n%s", r.Code, r.Name, r.Summary, demoted(string(source)))
	}
	b.WriteString(silenceIntro)
	for _, r := range silenceRules(t) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.name, r.comment)
	}
	return b.Bytes()
}

// byContract is the severity at grade C, which a directive has not.
func byContract(r finding.RuleInfo) string {
	if r.Code == finding.BadDirective {
		return r.Severity.String()
	}
	return finding.SeverityAt(r.Code, finding.GradeContract).String()
}

// demoted puts the headings of a page of explain one level down.
func demoted(source string) string {
	return strings.ReplaceAll("\n"+source, "\n## ", "\n### ")[1:]
}

type silenceRule struct{ name, comment string }

// silenceRules reads the constants of type Rule with their comments.
func silenceRules(t *testing.T) []silenceRule {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../ctxflow/silence.go", nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var rules []silenceRule
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); !ok || id.Name != "Rule" {
			return false
		}
		name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		comment := strings.TrimSpace(spec.Comment.Text())
		if comment == "" {
			t.Errorf("the rule %s has no comment for the page", name)
		}
		rules = append(rules, silenceRule{name, comment})
		return false
	})
	if rules == nil {
		t.Fatal("no rules of silence in the source")
	}
	return rules
}
