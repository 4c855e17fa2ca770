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
	ctxprop prove [flags] [packages]     measure what the fixes are worth, with the packages' saturation tests
	ctxprop config [flags] FILE…         check gRPC service configs in JSON
	ctxprop vet [flags] [packages]       run go vet with these analyzers and the configuration
	ctxprop init [-C directory]          write a commented configuration file, .ctxprop.yml
	ctxprop explain CODE                 why a code matters, wrong and right code, limits
	ctxprop version                      versions of ctxprop, Go and x/tools
	ctxprop help                         this text
	go vet -vettool=$(which ctxprop) ./...
	                                     the same analyzers, package by package, cached by the go command

Flags of check:

`

const helpProve = `
Flags of prove:

`

const helpConfig = `
Flags of config:

`

const helpTail = `
prove runs the packages' saturation tests twice, on the code as it is and with
the fixes of all findings overlaid, and gives a verdict on each; the tree is only
read. It exits with 0 if every verdict is PROVEN, or the one that the test
declares with a reason.

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
	writeFlags(&b, flagSet(new(options)))
	b.WriteString(helpProve)
	writeFlags(&b, proveFlagSet(new(proveOptions)))
	b.WriteString(helpConfig)
	writeFlags(&b, configFlagSet(new(configOptions)))
	var codes strings.Builder
	for _, r := range finding.Rules() {
		fmt.Fprintf(&codes, "\t%s  %s\n", r.Code, r.Summary)
	}
	fmt.Fprintf(&b, helpTail, codes.String())
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

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
