package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/gate"
	"github.com/ctxprop/ctxprop/internal/git"
)

// gateOptions is the command line of gate.
type gateOptions struct {
	options
	rev       string
	mergeBase bool
	strict    bool
	write     gateFormat
	outcomes  []output[*comparison]
}

func gateFlagSet(o *gateOptions) *flag.FlagSet {
	o.write, o.mergeBase = gateFormats[0], true
	fs := flag.NewFlagSet("ctxprop gate", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.rev, "base", "", "the `revision` to compare with, such as origin/main")
	fs.BoolVar(&o.mergeBase, "merge-base", true, "compare with the commit where HEAD left the base's history instead of the base itself, which may have moved on")
	fs.StringVar(&o.baseline, "baseline", "", "take the findings that are listed in this `file` for known")
	fs.BoolVar(&o.strict, "strict", false, "fail on known findings that are reached from further entry points, too")
	fs.Var(&o.write, "format", "print the outcome as `text`, json, sarif, github annotations, rdjsonl for reviewdog, or markdown for a comment")
	fs.Func("o", outputText, o.addOutput)
	o.bindShown(fs)
	o.bindAnalysis(fs)
	return fs
}

func (o *gateOptions) addOutput(text string) error {
	name, file, err := splitOutput(text)
	if err != nil {
		return err
	}
	var f gateFormat
	o.outcomes = append(o.outcomes, output[*comparison]{file, func(w io.Writer, c *comparison) error { return f.write(w, c) }})
	return f.Set(name)
}

func parseGateOptions(args []string) (*gateOptions, error) {
	o := new(gateOptions)
	fs := gateFlagSet(o)
	if err := fs.Parse(args); err != nil {
		return nil, flagError(fs, err)
	}
	if err := o.setPatterns(fs.Args()); err != nil {
		return nil, err
	}
	if o.rev == "" && o.baseline == "" {
		return nil, usagef("gate compares with a revision, such as -base origin/main, or with a file of known findings: -baseline FILE")
	}
	return o, o.configure(fs)
}

// gate shows the findings that are new, compared with another revision or with
// a list of known ones.
func (p *process) gate(ctx context.Context, args []string) error {
	o, err := parseGateOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		return p.helpOn(ctx, "gate")
	}
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, err := p.compare(ctx, o)
	if ctx.Err() != nil {
		return errors.New("interrupted; nothing was changed")
	}
	if err != nil {
		return err
	}
	if err := writeOutputs(o.outcomes, &c.report, c); err != nil {
		return err
	}
	if err := o.write.print(p.stdout, c); err != nil {
		return err
	}
	p.warnStale(c.baseline, c.stale)
	if c.failed() {
		return errFindings
	}
	return nil
}

// comparison is what gate prints.
type comparison struct {
	report             // all findings of the working tree that are shown
	base     *git.Base // nil without -base
	baseline string    // file name, or ""
	strict   bool
	new      []*finding.Finding
	wider    []widerFinding
	fixed    []*finding.Finding
	stale    []*finding.Finding
}

// widerFinding is a known finding with the entry points that are new to it.
type widerFinding struct {
	*finding.Finding
	entries []string
}

func (c *comparison) failed() bool { return len(c.new) > 0 || c.strict && len(c.wider) > 0 }

// reported returns the new findings, and the known ones with news about them,
// in the order of places. The latter are notices unless they count.
func (c *comparison) reported() []*finding.Finding {
	fs := append([]*finding.Finding{}, c.new...)
	for _, w := range c.wider {
		f := *w.Finding
		f.Message = fmt.Sprintf("now also reached from %s: %s", strings.Join(w.entries, ", "), f.Message)
		if !c.strict {
			f.Severity = finding.Info
		}
		fs = append(fs, &f)
	}
	finding.Sort(fs)
	return fs
}

// summary is the outcome in a line.
func (c *comparison) summary() string {
	parts := []string{count(len(c.new), "new finding", "new findings")}
	if n := len(c.wider); n > 0 {
		parts = append(parts, fmt.Sprintf("%d now also reached from elsewhere", n))
	}
	if c.base != nil {
		parts = append(parts, fmt.Sprintf("%d fixed", len(c.fixed)))
	}
	parts = append(parts, fmt.Sprintf("%d known", len(c.findings)-len(c.new)))
	return strings.Join(parts, ", ")
}

// against names what the findings were compared with.
func (c *comparison) against() string {
	var with []string
	if c.base != nil {
		with = append(with, c.base.String())
	}
	if c.baseline != "" {
		with = append(with, "the baseline "+c.baseline)
	}
	return strings.Join(with, ", and ")
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// compare analyses the working tree, and the base as far as it differs.
func (p *process) compare(ctx context.Context, o *gateOptions) (*comparison, error) {
	dir, err := workingDir(o.dir)
	if err != nil {
		return nil, err
	}
	// What git says of files has links resolved.
	if o.dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	c := &comparison{report: report{env: p.env}, baseline: o.baseline, strict: o.strict}
	c.dir = o.dir
	known, err := c.readBaseline(&o.options)
	if err != nil {
		return nil, err
	}
	var tree *baseTree
	if o.rev != "" {
		temp, err := os.MkdirTemp("", "ctxprop-gate-*")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(temp)
		if tree, err = p.readBase(ctx, o, temp); err != nil {
			return nil, err
		}
		c.base = tree.base
	}
	head, base, err := p.analyseBoth(ctx, o, tree)
	if err != nil {
		return nil, err
	}
	c.fset = head.prog.fset
	c.judge(o, head, base, known)
	return c, nil
}

// readBase finds the revision to compare with, and says what might surprise.
func (p *process) readBase(ctx context.Context, o *gateOptions, temp string) (*baseTree, error) {
	repo, err := git.Open(ctx, p.env, o.dir)
	if err != nil {
		return nil, err
	}
	base, err := repo.Base(ctx, o.rev, o.mergeBase)
	if err != nil {
		return nil, err
	}
	if base.Others > 0 {
		fmt.Fprintf(p.stderr, "ctxprop: %s and HEAD have %d merge bases; compared with %s\n", o.rev, base.Others+1, base.Short())
	}
	tree, err := newBaseTree(ctx, repo, base, temp)
	if err == nil && tree.changes.Dirty {
		fmt.Fprintf(p.stderr, "ctxprop: the working tree has changes that are not committed; they are part of the comparison\n")
	}
	return tree, err
}

// judge tells the findings apart.
func (c *comparison) judge(o *gateOptions, head, base *revision, known *gate.Baseline) {
	var outcome *gate.Outcome
	if base != nil {
		outcome = gate.Compare(base.side(), head.side(), o.severity)
		c.fixed = base.shown(outcome.Fixed, o.severity)
	}
	if known != nil {
		listed := gate.Compare(known.Revision(), head.side(), o.severity)
		if known.Covers(o.patterns, c.seenFrom(o.baseline)) {
			c.stale = listed.Fixed
		}
		if outcome == nil {
			outcome = listed
		} else {
			outcome = gate.Either(outcome, listed)
		}
	}
	for _, f := range head.findings {
		shown := o.shown([]*finding.Finding{f})
		if len(shown) == 0 {
			continue
		}
		c.findings = append(c.findings, shown[0])
		switch {
		case outcome.New[f]:
			c.new = append(c.new, shown[0])
		case len(outcome.Wider[f]) > 0:
			c.wider = append(c.wider, widerFinding{shown[0], outcome.Wider[f]})
		}
	}
}

// shown returns findings from a severity on, with the files that they have in
// the working tree.
func (r *revision) shown(fs []*finding.Finding, least finding.Severity) []*finding.Finding {
	var out []*finding.Finding
	for _, f := range fs {
		if f.Severity >= least {
			here := *f
			here.Position.Filename = r.tree.original(f.Position.Filename)
			out = append(out, &here)
		}
	}
	return out
}
