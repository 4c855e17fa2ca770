package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
)

// check analyses packages and prints the findings.
func (p *process) check(ctx context.Context, args []string) error {
	o, err := parseOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		return p.help(ctx, nil)
	}
	if err != nil {
		return err
	}
	g, err := p.goEnv(ctx, o.dir)
	if err != nil {
		return err
	}
	r := &report{env: p.env, dir: g.dir}
	known, err := r.readBaseline(o)
	if err != nil {
		return err
	}
	prog, units, err := p.loadAndAnalyse(ctx, o, g)
	if err != nil {
		return err
	}
	r.fset, r.findings = prog.fset, dedupe(findingsOf(prog, units))
	finding.Sort(r.findings)
	if o.why.file != "" {
		return p.why(o, r, prog, units)
	}
	if o.baseline == "" {
		r.findings = o.shown(r.findings)
	} else if err := p.applyBaseline(o, r, &revision{prog: prog, findings: r.findings}, known); err != nil {
		return err
	}
	if err := writeOutputs(o.outputs, r, r); err != nil {
		return err
	}
	if err := o.format.print(p.stdout, r); err != nil {
		return err
	}
	if len(r.findings) > 0 {
		return errFindings
	}
	return nil
}

// loadAndAnalyse is the long part of a run, with its progress shown.
func (p *process) loadAndAnalyse(ctx context.Context, o *options, g *goEnv) (*program, []*unit, error) {
	progress := startProgress(p.stderr, o.verbose)
	defer progress.stop()
	if o.verbose && o.config != "" {
		fmt.Fprintf(p.stderr, "ctxprop: configuration: %s\n", o.config)
	}
	progress.stage("loading packages")
	prog, err := p.load(ctx, o, g)
	if err != nil {
		return nil, nil, err
	}
	if err := o.checkCatalog(prog); err != nil {
		return nil, nil, err
	}
	progress.stage("analysing " + count(len(prog.pkgs), "package", "packages"))
	units, err := analyse(p.analyzers(o), prog)
	if err == nil && o.verbose {
		progress.stop()
		p.unusedLines(o, prog)
		p.summarise(units)
	}
	return prog, units, err
}

// summarise tells -v how much was understood.
func (p *process) summarise(units []*unit) {
	functions, unknown := 0, 0
	for _, u := range units {
		flow, ok := resultOf[*ctxflow.Result](u)
		if !ok {
			continue
		}
		functions += flow.Functions
		unknown += len(flow.Unknown)
		for _, name := range flow.Unknown {
			fmt.Fprintf(p.stderr, "ctxprop: too large to analyse: %s\n", name)
		}
	}
	fmt.Fprintf(p.stderr, "ctxprop: %d functions summarised, %d too large\n", functions, unknown)
}
