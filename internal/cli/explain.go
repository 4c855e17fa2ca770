package cli

import (
	"context"
	"embed"
	"fmt"
	"io"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// explanations has one Markdown file per code, with the sections "Why it
// matters", "Wrong", "Right", "Fix" and "Limits". The wrong and right code
// are complete files, which a test type-checks.
//
//go:embed explain/*.md
var explanations embed.FS

// explain prints what there is to know about a code.
func (p *process) explain(_ context.Context, args []string) error {
	if len(args) != 1 || strings.HasPrefix(args[0], "-") {
		return usagef("explain takes one code, such as CTX101")
	}
	rule, ok := finding.Rule(finding.Code(strings.ToUpper(args[0])))
	if !ok {
		return unknownCode(args[0])
	}
	source, err := explanation(rule)
	if err != nil {
		return err
	}
	_, err = io.WriteString(p.stdout, explanationText(rule, source))
	return err
}

// explanation is the Markdown on a code.
func explanation(rule finding.RuleInfo) (string, error) {
	source, err := explanations.ReadFile("explain/" + string(rule.Code) + ".md")
	if err != nil {
		return "", fmt.Errorf("no explanation of %s: %v", rule.Code, err)
	}
	return string(source), nil
}

// unknownCode proposes a code by its number or by its name.
func unknownCode(arg string) error {
	var codes []string
	for _, r := range finding.Rules() {
		if strings.EqualFold(r.Name, arg) {
			return usagef("explain takes a code; %s is %s", arg, r.Code)
		}
		codes = append(codes, string(r.Code))
	}
	hint := didYouMean(arg, codes)
	if hint == "" {
		hint = "; the codes are " + strings.Join(codes, ", ")
	}
	return usagef("unknown code %q%s", arg, hint)
}

// explanationText renders the Markdown for a terminal: headings bare, code
// indented.
func explanationText(rule finding.RuleInfo, source string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (%s, analyzer %s)\n\n%s\n\n", rule.Code, rule.Name, rule.Severity, rule.Analyzer, rule.Summary)
	inCode := false
	for line := range strings.Lines(source) {
		switch {
		case strings.HasPrefix(line, "```"):
			inCode = !inCode
		case inCode && line != "\n":
			b.WriteString("    " + line)
		case strings.HasPrefix(line, "## "):
			b.WriteString(strings.TrimPrefix(line, "## "))
		default:
			b.WriteString(line)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", rule.Code.URL())
	return strings.ReplaceAll(b.String(), "`", "")
}
