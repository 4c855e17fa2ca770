// Package ctxprop is the suite of analyzers that keep request deadlines alive
// in Go services: what a multichecker, a vet tool, nogo or a linter plugin
// imports.
package ctxprop

import (
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/analyzers/ctxbackground"
	"github.com/ctxprop/ctxprop/analyzers/ignoredctx"
	"github.com/ctxprop/ctxprop/analyzers/retrynest"
	"github.com/ctxprop/ctxprop/internal/ctxflow"
)

// Options configure a suite.
type Options struct {
	// Own lists import-path prefixes of code that is summarised as the
	// user's own although the usual rule would not say so.
	Own []string
	// Catalog holds further lines for the catalog of APIs, in the format that
	// internal/catalog documents.
	Catalog string
	// Lenient lets lines of Catalog be about functions that do not exist, for
	// who checks that elsewhere and analyses other revisions as well.
	Lenient bool
}

// Suite is the suite with the default options. ctxflow is a member, so that
// its flags show; it reports nothing.
var Suite = New(Options{})

// New builds a suite of its own: analyzers of two suites share no state.
func New(opts Options) []*analysis.Analyzer {
	flow := ctxflow.New(ctxflow.Config{Own: opts.Own, Catalog: opts.Catalog, Lenient: opts.Lenient})
	return []*analysis.Analyzer{
		flow,
		ctxbackground.New(flow),
		ignoredctx.New(flow),
		retrynest.New(flow),
	}
}

// SetFlag sets a flag in all analyzers of a suite that have it: severity and
// codes in those that report, own, threshold and catalog in ctxflow. The error
// says that no analyzer has it, or what is wrong with the value.
func SetFlag(suite []*analysis.Analyzer, name, value string) error {
	known := false
	for _, a := range suite {
		if a.Flags.Lookup(name) == nil {
			continue
		}
		known = true
		if err := a.Flags.Set(name, value); err != nil {
			return fmt.Errorf("-%s.%s: %w", a.Name, name, err)
		}
	}
	if !known {
		return fmt.Errorf("no analyzer has a flag %q", name)
	}
	return nil
}
