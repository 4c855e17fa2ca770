package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/gate"
)

// seenFrom is the directory of the run as seen from that of a file, for a
// baseline to say where it was written.
func (r *report) seenFrom(file string) string {
	at := filepath.Dir(r.inDir(file))
	if resolved, err := filepath.EvalSymlinks(at); err == nil {
		at = resolved
	}
	here := r.dir
	if resolved, err := filepath.EvalSymlinks(here); err == nil {
		here = resolved
	}
	rel, err := filepath.Rel(at, here)
	if err != nil {
		return filepath.ToSlash(here) // on another drive
	}
	return filepath.ToSlash(rel)
}

// checkBaseline reads the flags about a baseline of known findings.
func (o *options) checkBaseline() error {
	switch {
	case o.baseline == "" && (o.writeBaseline || o.prune):
		return usagef("-write-baseline and -prune are about the file of -baseline FILE")
	case o.writeBaseline && o.prune:
		return usagef("-write-baseline writes the findings of now, so there is nothing for -prune")
	case o.baseline != "" && o.why.file != "":
		return usagef("-why shows what is known of a line, in a baseline or not: leave -baseline out")
	}
	return nil
}

// readBaseline reads the list of known findings, if the run takes one.
func (r *report) readBaseline(o *options) (*gate.Baseline, error) {
	if o.baseline == "" || o.writeBaseline {
		return nil, nil
	}
	return gate.ReadBaseline(r.inDir(o.baseline), o.baseline)
}

// applyBaseline leaves in r what of all findings is to be shown and is not
// listed in the baseline, or writes the list.
func (p *process) applyBaseline(o *options, r *report, head *revision, known *gate.Baseline) error {
	file, dir := r.inDir(o.baseline), r.seenFrom(o.baseline)
	if o.writeBaseline {
		shown := o.shown(head.findings)
		r.findings = nil
		if err := gate.NewBaseline(o.patterns, dir, shown).Write(file); err != nil {
			return err
		}
		fmt.Fprintf(p.stderr, "ctxprop: the baseline %s lists %s\n", o.baseline, count(len(shown), "finding", "findings"))
		return nil
	}
	covers := known.Covers(o.patterns, dir)
	if o.prune && !covers {
		return usagef("the baseline was written by a run over %s in %s, and only such a run can tell what is stale", strings.Join(known.Packages, " "), filepath.Join(filepath.Dir(o.baseline), known.Dir))
	}
	outcome := gate.Compare(known.Revision(), head.side(), o.severity)
	r.findings = o.shown(slices.DeleteFunc(slices.Clone(head.findings), func(f *finding.Finding) bool { return !outcome.New[f] }))
	if !covers || len(outcome.Fixed) == 0 {
		return nil
	}
	if o.prune {
		if err := known.Without(outcome.Fixed).Write(file); err != nil {
			return err
		}
		fmt.Fprintf(p.stderr, "ctxprop: removed %s from the baseline %s\n", count(len(outcome.Fixed), "stale entry", "stale entries"), o.baseline)
		return nil
	}
	p.warnStale(o.baseline, outcome.Fixed)
	return nil
}

// maxStale bounds how many stale entries are named.
const maxStale = 10

func (p *process) warnStale(baseline string, stale []*finding.Finding) {
	if len(stale) == 0 {
		return
	}
	fmt.Fprintf(p.stderr, "ctxprop: %s in the baseline %s; ctxprop check -prune removes them\n", count(len(stale), "stale entry", "stale entries"), baseline)
	for _, f := range stale[:min(len(stale), maxStale)] {
		fmt.Fprintf(p.stderr, "\t%s\n", f.ID)
	}
	if more := len(stale) - maxStale; more > 0 {
		fmt.Fprintf(p.stderr, "\tand %d more\n", more)
	}
}
