package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/ctxprop/ctxprop/internal/rewrite"
)

const aboutFix = `fix makes the fixes that check shows in JSON, and gives functions that make a
context of their own a ctx parameter, which all of their callers pass, across
packages and in tests (CTX102). What it would write is analysed first: it must
compile, the findings must have gone, and none may be new. It writes all files
or, if one of them cannot be written, none. For each finding that stays it says
why.

It exits with 0 if no finding is left and with 3 if some are. With -diff nothing
is written, so it exits with 3 if there is a finding at all; the diff is on
standard output, the rest on standard error.
`

// fixOptions is the command line of fix.
type fixOptions struct {
	options
	write    fixFormat
	diff     bool
	exported bool
}

func fixFlagSet(o *fixOptions) *flag.FlagSet {
	o.write = fixFormats[0]
	fs := flag.NewFlagSet("ctxprop fix", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.BoolVar(&o.diff, "diff", false, "print what would change as a unified diff, and write nothing")
	fs.BoolVar(&o.exported, "exported", false, "also give parameters to exported functions that other modules could call")
	fs.Var(&o.write, "format", "print what was done as `text` or json")
	o.bindSeverity(fs)
	o.bindAnalysis(fs)
	return fs
}

func parseFixOptions(args []string) (*fixOptions, error) {
	o := new(fixOptions)
	fs := fixFlagSet(o)
	if err := fs.Parse(args); err != nil {
		return nil, flagError(fs, err)
	}
	if err := o.setPatterns(fs.Args()); err != nil {
		return nil, err
	}
	err := o.configure(fs)
	o.tests = true // they call what is changed
	return o, err
}

// fixFormat is a way to print what fix did, and a flag value.
type fixFormat struct {
	name  string
	write func(io.Writer, *fixReport) error
}

// fixFormats has the default first.
var fixFormats = []fixFormat{{"text", writeFixText}, {"json", writeFixJSON}}

func (f *fixFormat) String() string { return f.name }

func (f *fixFormat) Set(name string) error {
	for _, known := range fixFormats {
		if known.name == name {
			*f = known
			return nil
		}
	}
	return errors.New("unknown format: use text or json")
}

// fix makes the fixes of the findings.
func (p *process) fix(ctx context.Context, args []string) error {
	o, err := parseFixOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		return p.helpOn(ctx, "fix")
	}
	if err != nil {
		return err
	}
	g, err := p.goEnv(ctx, o.dir)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	r, err := p.planFixes(ctx, o, g)
	if ctx.Err() != nil {
		return errors.New("interrupted; nothing was changed")
	}
	if err != nil {
		return err
	}
	if !o.diff && len(r.changes) > 0 { // from here on nothing interrupts
		if err := rewrite.Write(r.changes); err != nil {
			return err
		}
		r.written = true
	}
	return p.printFixes(o, r)
}

func (p *process) printFixes(o *fixOptions, r *fixReport) error {
	out := p.stdout
	if o.diff && o.write.name == fixFormats[0].name {
		for _, c := range r.changes {
			if _, err := io.WriteString(p.stdout, r.diffOf(c)); err != nil {
				return fmt.Errorf("cannot write the diff: %v", err)
			}
		}
		out = p.stderr
	}
	if err := o.write.write(out, r); err != nil {
		return fmt.Errorf("cannot write the outcome: %v", err)
	}
	if r.left() > 0 || o.diff && len(r.results) > 0 {
		return errFindings
	}
	return nil
}

// planFixes finds out what can be fixed, in a temporary directory.
func (p *process) planFixes(ctx context.Context, o *fixOptions, g *goEnv) (*fixReport, error) {
	temp, err := os.MkdirTemp("", "ctxprop-fix-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	f := &fixer{process: p, o: o, goEnv: g, temp: temp, progress: startProgress(p.stderr, o.verbose)}
	defer f.progress.stop()
	return f.run(ctx)
}
