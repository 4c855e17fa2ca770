package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// options is the command line of check, with what a configuration adds to it.
type options struct {
	format               format
	outputs              []output[*report]
	severity             finding.Severity
	codes                finding.Policy
	threshold            int // 0 for the default
	tests                bool
	dir                  string
	config               string // a file, "none", or "" for the nearest
	tags                 string
	why                  place
	own                  list
	catalog              string
	baseline             string // a file of known findings, or ""
	writeBaseline, prune bool   // what to do with it
	verbose              bool
	patterns             []string
	shows                bool     // the command shows findings, of that severity; no flag
	overlay              *overlay // of the files to analyse, or nil; no flag
}

// flagSet binds the flags of check to o. The texts are those of the help.
func flagSet(o *options) *flag.FlagSet {
	o.format = formats[0]
	fs := flag.NewFlagSet("ctxprop", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Var(&o.format, "format", "print findings as `text`, json, sarif, github annotations, rdjsonl for reviewdog, or markdown for a summary")
	fs.Func("o", outputText, o.addOutput)
	o.bindShown(fs)
	o.bindAnalysis(fs)
	fs.StringVar(&o.baseline, "baseline", "", "leave out the findings that are listed in this `file`")
	fs.BoolVar(&o.writeBaseline, "write-baseline", false, "list the findings of now in the file of -baseline, and show none")
	fs.BoolVar(&o.prune, "prune", false, "remove from the file of -baseline what is found no more")
	fs.Var(&o.why, "why", "print what is known about the contexts at `file:line` instead of findings")
	return fs
}

func (o *options) addOutput(text string) error {
	name, file, err := splitOutput(text)
	if err != nil {
		return err
	}
	var f format
	o.outputs = append(o.outputs, output[*report]{file, func(w io.Writer, r *report) error { return f.write(w, r) }})
	return f.Set(name)
}

// parseOptions reads the arguments of check. Without patterns it is the
// package in the current directory, as for go vet and staticcheck.
func parseOptions(args []string) (*options, error) {
	o := new(options)
	fs := flagSet(o)
	if err := fs.Parse(args); err != nil {
		return nil, flagError(fs, err)
	}
	if err := o.setPatterns(fs.Args()); err != nil {
		return nil, err
	}
	if err := o.checkBaseline(); err != nil {
		return nil, err
	}
	return o, o.configure(fs)
}

func parseThreshold(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 2 {
		return 0, errors.New("want a product of attempts, 2 or more")
	}
	return n, nil
}

func (o *options) setPatterns(patterns []string) error {
	for _, p := range patterns {
		if strings.HasPrefix(p, "-") {
			return usagef("flag %s comes after a package; flags go first", p)
		}
	}
	o.patterns = patterns
	if len(patterns) == 0 {
		o.patterns = []string{"."}
	}
	return nil
}

// flagError turns a failure of package flag into one line.
func flagError(fs *flag.FlagSet, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	// Package flag has no type for this error.
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return usagef("%v", err)
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	hint := didYouMean(name, names)
	if hint == "" {
		hint = strings.TrimSuffix("; see ctxprop help "+strings.TrimPrefix(fs.Name(), "ctxprop "), " ctxprop")
	} else {
		hint = strings.Replace(hint, "mean ", "mean -", 1)
	}
	return usagef("unknown flag -%s%s", name, hint)
}

// severityFlag reads a severity as a flag's value.
type severityFlag finding.Severity

func (s *severityFlag) String() string { return finding.Severity(*s).String() }

func (s *severityFlag) Set(name string) error {
	got, err := finding.ParseSeverity(name)
	*s = severityFlag(got)
	return err
}

// list is a flag with comma-separated values.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(text string) error {
	for v := range strings.SplitSeq(text, ",") {
		if v = strings.TrimSpace(v); v != "" && !slices.Contains(*l, v) {
			*l = append(*l, v)
		}
	}
	return nil
}

// place is a line of a file.
type place struct {
	file string
	line int
}

func (p *place) String() string {
	if p.file == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.file, p.line)
}

func (p *place) Set(text string) error {
	file, rest, _ := cutLast(text, ":")
	line, err := strconv.Atoi(rest)
	if file == "" || err != nil || line < 1 {
		return fmt.Errorf("want FILE:LINE")
	}
	// A position copied from a message has a column too.
	if f, l, ok := cutLast(file, ":"); ok && f != "" {
		if n, err := strconv.Atoi(l); err == nil && n > 0 {
			file, line = f, n
		}
	}
	p.file, p.line = file, line
	return nil
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
