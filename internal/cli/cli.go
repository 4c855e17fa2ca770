// Package cli is the ctxprop command: what it accepts, how it loads and
// analyses a program in one process, and how it prints what it found. It
// decides nothing about contexts; that is the analyzers' business.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/spell"
)

// suite builds the analyzers for one run, so that their options are bound to
// it and nothing is shared with another.
type suite func(own []string, catalog string) []*analysis.Analyzer

// process is the command's view of the process that it runs in. Nothing below
// Run touches os.Args, os.Stdout or os.Exit, so that tests can call it.
type process struct {
	env            []string
	stdin          io.Reader
	stdout, stderr io.Writer
	suite          suite
}

// command is one of the words that may come first on the command line.
type command struct {
	name    string
	args    string // as help shows them
	summary string
	about   string // paragraphs for help on the command, if it needs more
	run     func(*process, context.Context, []string) error
	flags   func() *flag.FlagSet // or nil
}

// commands lists the commands in the order of help. The first is what runs when
// none is named.
func commands() []command {
	return []command{
		{"check", "[flags] [packages]", "analyse packages (default: the one in the current directory)", "", (*process).check, func() *flag.FlagSet { return flagSet(new(options)) }},
		{"gate", "-base REV [flags] [packages]", "findings that a change adds, compared with a revision or a baseline", aboutGate, (*process).gate, func() *flag.FlagSet { return gateFlagSet(new(gateOptions)) }},
		{"fix", "[flags] [packages]", "make the safe fixes, and pass contexts through whole chains of calls", aboutFix, (*process).fix, func() *flag.FlagSet { return fixFlagSet(new(fixOptions)) }},
		{"graph", "[flags] [packages]", "show the retries of the services, and what they multiply to", aboutGraph, (*process).graph, func() *flag.FlagSet { return graphFlagSet(new(graphOptions)) }},
		{"prove", "[flags] [packages]", "measure what the fixes are worth, with the packages' saturation tests", aboutProve, (*process).prove, func() *flag.FlagSet { return proveFlagSet(new(proveOptions)) }},
		{"vet", "[flags] [packages]", "run go vet with the same analyzers and the configuration", aboutVet, (*process).vet, func() *flag.FlagSet { return vetFlagSet(new(vetOptions)) }},
		{"config", "[flags] FILE…", "check gRPC service configs in JSON", "", (*process).config, func() *flag.FlagSet { return configFlagSet(new(configOptions)) }},
		{"init", "[flags]", "write a commented configuration file, .ctxprop.yml", "", (*process).init, func() *flag.FlagSet { return initFlagSet(new(string)) }},
		{"explain", "CODE", "why a code matters, wrong and right code, limits", "", (*process).explain, nil},
		{"version", "", "versions of ctxprop, Go and x/tools", "", (*process).version, nil},
		{"help", "[COMMAND]", "this text, or the flags of a command", "", (*process).help, nil},
	}
}

func (p *process) run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return p.check(ctx, args)
	}
	var names []string
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(p, ctx, args[1:])
		}
		names = append(names, c.name)
	}
	switch args[0] {
	case "-version", "--version":
		return p.version(ctx, args[1:])
	case "-h", "-help", "--help":
		return p.help(ctx, args[1:])
	}
	if near := misspelt(args[0], names); near != "" {
		return usagef("unknown command %q; did you mean %s?", args[0], near)
	}
	return p.check(ctx, args)
}

// misspelt returns the subcommand that a bare word was probably meant to be.
// Words that look like a path are always package patterns.
func misspelt(arg string, names []string) string {
	if strings.ContainsAny(arg, "./\\=-") || slices.Contains(names, arg) {
		return ""
	}
	return spell.Nearest(arg, names)
}

// exitCode prints err and translates it.
func exitCode(err error, stderr io.Writer) int {
	if err == nil {
		return 0
	}
	code := exitFailure
	if coded, ok := errors.AsType[*exitError](err); ok {
		code = coded.code
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(stderr, "ctxprop: %s\n", text)
	}
	return code
}
