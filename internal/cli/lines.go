package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ctxprop/ctxprop/internal/catalog"
)

// This file checks the lines that users add to the catalog.

// setCatalog checks the lines before anything is loaded.
func (o *options) setCatalog(text string) error {
	o.catalog = text
	if _, err := catalog.Default().Extend("line", text); err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return nil
}

// checkCatalog checks that the lines fit the functions of the program that they
// are about. The analyzers would say the same, once for every importer.
func (o *options) checkCatalog(prog *program) error {
	if o.catalog == "" {
		return nil
	}
	c, err := catalog.Default().Extend("-catalog", o.catalog)
	if err != nil {
		return err
	}
	var texts []string
	for _, pkg := range prog.pkgs {
		if err := c.CheckImports(pkg.Types); err != nil {
			texts = append(texts, strings.Split(err.Error(), "\n")...)
		}
	}
	if texts == nil {
		return nil
	}
	slices.Sort(texts)
	return errors.New(strings.Join(slices.Compact(texts), "\n\t"))
}

// unusedLines tells -v which lines are about packages that the program does not
// have. That is no mistake where several modules share a configuration.
func (p *process) unusedLines(o *options, prog *program) {
	c, err := catalog.Default().Extend("-catalog", o.catalog)
	if err != nil || o.catalog == "" {
		return
	}
	known := map[string]bool{}
	packages.Visit(prog.pkgs, nil, func(pkg *packages.Package) { known[pkg.PkgPath] = true })
	for _, e := range c.Added() {
		if !e.Symbol.Wide() && !known[e.Symbol.Pkg] {
			fmt.Fprintf(p.stderr, "ctxprop: %v: nothing here imports %s\n", e.Pos, e.Symbol.Pkg)
		}
	}
}
