package cli

import (
	"flag"
	"fmt"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
)

const helpHead = `ctxprop finds request deadlines that get lost in Go services: places where the
context of a request, and with it the deadline and the cancellation, does not
reach the blocking work that is done for it.

Usage:

	ctxprop [check] [flags] [packages]   analyse packages (default: the one in the current directory)
	ctxprop explain CODE                 why a code matters, wrong and right code, limits
	ctxprop version                      versions of ctxprop, Go and x/tools
	ctxprop help                         this text
	go vet -vettool=$(which ctxprop) ./...
	                                     the same analyzers, package by package, cached by the go command

Flags of check:

`

const helpTail = `
Codes:

%s
Exit code: 0 nothing found, 1 could not analyse, 2 wrong usage, 3 findings.

A directive with a reason silences a finding where it is reported or where the
context is made. It covers its own line; standing alone, the line below it; in
a function's doc comment, the function:

	//ctxprop:allow CTX101 the audit record must be written even if the client is gone
`

func helpText() string {
	var b strings.Builder
	b.WriteString(helpHead)
	fs := flagSet(new(options))
	fs.SetOutput(&b)
	fs.VisitAll(func(f *flag.Flag) {
		name, usage := flag.UnquoteUsage(f)
		fmt.Fprintf(&b, "\t-%s %s\n\t\t%s%s\n", f.Name, name, usage, defaultOf(f))
	})
	var codes strings.Builder
	for _, r := range finding.Rules() {
		fmt.Fprintf(&codes, "\t%s  %s\n", r.Code, r.Summary)
	}
	fmt.Fprintf(&b, helpTail, codes.String())
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

// defaultOf is a flag's default, unless it is the empty one.
func defaultOf(f *flag.Flag) string {
	if f.DefValue == "" || f.DefValue == "false" {
		return ""
	}
	return " (default " + f.DefValue + ")"
}
