package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
)

const helpHead = `ctxprop finds request deadlines that get lost in Go services: places where the
context of a request, and with it the deadline and the cancellation, does not
reach the blocking work that is done for it.

Usage:

`

const helpTail = `
Codes:

%s
Exit code: 0 nothing found, 1 could not analyse, 2 wrong usage, 3 findings.

What flags say may stand in .ctxprop.yml, see ctxprop init; flags win over it.

A directive with a reason silences a finding where it is reported or where the
context is made. It covers its own line; standing alone, the line below it; in
a function's doc comment, the function:

	//ctxprop:allow CTX101 the audit record must be written even if the client is gone
`

const aboutProve = `prove runs the packages' saturation tests twice, on the code as it is and with
the fixes of all findings overlaid, and gives a verdict on each; the tree is only
read. It exits with 0 if every verdict is PROVEN, or the one that the test
declares with a reason.
`

const aboutVet = `vet runs go vet -vettool with ctxprop itself as the tool: the same analyzers,
package by package, cached by the go command. The flags of the analyzers are made
from the configuration. It exits as go vet does, with 1 for findings.
`

const aboutGate = `gate analyses the working tree, with what is not committed, and the commit where
HEAD left the history of -base; what has not changed is analysed once. It shows,
and fails on, findings that the base has not, told apart by what they are and not
by their lines. A known finding that a further entry point reaches is shown, too.
`

// help prints the overview, or what there is to say about a command.
func (p *process) help(_ context.Context, args []string) error {
	text := helpText()
	if len(args) > 0 {
		c, err := commandNamed(args)
		if err != nil {
			return err
		}
		text = c.help()
	}
	_, err := io.WriteString(p.stdout, text)
	return err
}

// helpOn is the answer to -h of a command.
func (p *process) helpOn(ctx context.Context, name string) error {
	return p.help(ctx, []string{name})
}

func commandNamed(args []string) (command, error) {
	if len(args) > 1 {
		return command{}, usagef("help takes one command")
	}
	var names []string
	for _, c := range commands() {
		if c.name == args[0] {
			return c, nil
		}
		names = append(names, c.name)
	}
	if _, err := finding.ParseCode(strings.ToUpper(args[0])); err == nil {
		return command{}, usagef("help takes a command; for a code: ctxprop explain %s", args[0])
	}
	hint := didYouMean(args[0], names)
	if hint == "" {
		hint = "; the commands are " + strings.Join(names, ", ")
	}
	return command{}, usagef("unknown command %q%s", args[0], hint)
}

func helpText() string {
	var b strings.Builder
	b.WriteString(helpHead)
	for i, c := range commands() {
		name := c.name
		if i == 0 {
			name = "[" + name + "]"
		}
		writeUsage(&b, strings.TrimSpace("ctxprop "+name+" "+c.args), c.summary)
	}
	writeUsage(&b, "go vet -vettool=$(which ctxprop) ./...", "the same analyzers, package by package, cached by the go command")
	b.WriteString("\nFlags of check; for those of another command, ctxprop help COMMAND:\n\n")
	writeFlags(&b, commands()[0].flags())
	var codes strings.Builder
	for _, r := range finding.Rules() {
		fmt.Fprintf(&codes, "\t%s  %s\n", r.Code, r.Summary)
	}
	fmt.Fprintf(&b, helpTail, codes.String())
	return trimLines(b.String())
}

// usageWidth is where the summaries begin.
const usageWidth = 37

func writeUsage(b *strings.Builder, usage, summary string) {
	if len(usage) >= usageWidth {
		usage += "\n\t"
		fmt.Fprintf(b, "\t%s%*s%s\n", usage, usageWidth, "", summary)
		return
	}
	fmt.Fprintf(b, "\t%-*s%s\n", usageWidth, usage, summary)
}

// help is what there is to say about a command.
func (c command) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s\n\n%s.\n", strings.TrimSpace("ctxprop "+c.name+" "+c.args), capitalised(c.summary))
	if c.about != "" {
		b.WriteString("\n" + c.about)
	}
	if c.flags != nil {
		b.WriteString("\nFlags:\n\n")
		writeFlags(&b, c.flags())
	}
	return trimLines(b.String())
}

func capitalised(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// trimLines takes away what stands before the end of a line by accident.
func trimLines(text string) string { return strings.ReplaceAll(text, " \n", "\n") }

func writeFlags(b *strings.Builder, fs *flag.FlagSet) {
	fs.VisitAll(func(f *flag.Flag) {
		name, usage := flag.UnquoteUsage(f)
		fmt.Fprintf(b, "\t-%s %s\n\t\t%s%s\n", f.Name, name, usage, defaultOf(f))
	})
}

// defaultOf is a flag's default, unless it is the empty one.
func defaultOf(f *flag.Flag) string {
	if f.DefValue == "" || f.DefValue == "false" {
		return ""
	}
	return " (default " + f.DefValue + ")"
}
