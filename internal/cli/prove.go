package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/prove"
)

// proveOptions is the command line of prove.
type proveOptions struct {
	options
	write   proofFormat
	picture string
	each    bool
	init    bool
}

func proveFlagSet(o *proveOptions) *flag.FlagSet {
	o.severity, o.write = finding.Info, proofFormats[0]
	fs := flag.NewFlagSet("ctxprop prove", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.picture, "o", "", "write a picture of the runs to this `file`: HTML, or SVG if its name ends so")
	fs.BoolVar(&o.each, "each", false, "also leave out one fix at a time")
	fs.BoolVar(&o.init, "init", false, "write a saturation test for each gRPC service of the packages, and run nothing")
	fs.Var(&o.write, "format", "print the outcome as `text` or json")
	fs.Var((*severityFlag)(&o.severity), "severity", "make the fixes of findings from this `severity` on: error, warning or info")
	o.bindAnalysis(fs)
	return fs
}

func parseProveOptions(args []string) (*proveOptions, error) {
	o := new(proveOptions)
	fs := proveFlagSet(o)
	if err := fs.Parse(args); err != nil {
		if err := prove.CheckFlags(strings.Join(args, " ")); err != nil {
			return nil, usagef("%v", err)
		}
		return nil, flagError(fs, err)
	}
	if err := o.setPatterns(fs.Args()); err != nil {
		return nil, err
	}
	return o, o.configure(fs)
}

// proofFormat is a way to print a proof, and a flag value.
type proofFormat struct {
	name  string
	write func(io.Writer, *prove.Report) error
}

// proofFormats has the default first.
var proofFormats = []proofFormat{{"text", prove.WriteText}, {"json", prove.WriteJSON}}

func (f *proofFormat) String() string { return f.name }

func (f *proofFormat) Set(name string) error {
	for _, known := range proofFormats {
		if known.name == name {
			*f = known
			return nil
		}
	}
	return errors.New("unknown format: use text or json")
}

// prove measures what the fixes of the findings are worth.
func (p *process) prove(ctx context.Context, args []string) error {
	o, err := parseProveOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		return p.helpOn(ctx, "prove")
	}
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := p.proof(ctx, o)
	if ctx.Err() != nil {
		return errors.New("interrupted; nothing was changed")
	}
	if err != nil || report == nil {
		return err
	}
	if o.picture != "" {
		if err := prove.WritePicture(o.picture, report); err != nil {
			return err
		}
	}
	if err := o.write.write(p.stdout, report); err != nil {
		return fmt.Errorf("cannot write the outcome: %v", err)
	}
	if !report.Met() {
		return errFindings
	}
	return nil
}
