// Package cli is the ctxprop command: what it accepts, how it loads and
// analyses a program in one process, and how it prints what it found. It
// decides nothing about contexts; that is the analyzers' business.
package cli

import (
	"context"
	"errors"
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

// subcommands in the order in which help lists them. The first is what runs
// when none is named.
var subcommands = []struct {
	name string
	run  func(*process, context.Context, []string) error
}{
	{"check", (*process).check},
	{"prove", (*process).prove},
	{"vet", (*process).vet},
	{"config", (*process).config},
	{"init", (*process).init},
	{"explain", (*process).explain},
	{"version", (*process).version},
	{"help", (*process).help},
}

func (p *process) run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return p.check(ctx, args)
	}
	var names []string
	for _, c := range subcommands {
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

func (p *process) help(_ context.Context, args []string) error {
	if len(args) > 0 {
		return usagef("help takes no arguments; for a code: ctxprop explain %s", args[0])
	}
	_, err := io.WriteString(p.stdout, helpText())
	return err
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
