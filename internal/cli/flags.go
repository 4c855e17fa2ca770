package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
)

// options is the command line of check.
type options struct {
	format   format
	severity finding.Severity
	tests    bool
	dir      string
	tags     string
	why      place
	own      list
	catalog  string
	verbose  bool
	patterns []string
	overlay  *overlay // of the files to analyse, or nil; no flag
}

// flagSet binds the flags of check to o. The texts are those of the help.
func flagSet(o *options) *flag.FlagSet {
	o.format, o.severity, o.tests = formats[0], finding.Warning, true
	fs := flag.NewFlagSet("ctxprop", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Var(&o.format, "format", "print findings as `text`, json, sarif, github annotations or rdjsonl for reviewdog")
	fs.Var((*severityFlag)(&o.severity), "severity", "show, and count for the exit code, findings from this `severity` on: error, warning or info")
	fs.BoolVar(&o.tests, "tests", true, "analyse test files too")
	fs.StringVar(&o.dir, "C", "", "run in `directory`; printed file names are relative to it")
	fs.StringVar(&o.tags, "tags", "", "comma-separated `list` of build tags")
	fs.Var(&o.why, "why", "print what is known about the contexts at `file:line` instead of findings")
	fs.Var(&o.own, "own", "comma-separated import-path `prefixes` of dependencies to analyse like own code, or all")
	fs.Func("catalog", "more `lines` for the catalog, separated by newlines or semicolons: what blocks, stores or derives in your libraries", o.setCatalog)
	fs.BoolVar(&o.verbose, "v", false, "print to stderr what was loaded and how long it took")
	return fs
}

// setCatalog checks the lines before anything is loaded.
func (o *options) setCatalog(text string) error {
	o.catalog = text
	if _, err := catalog.Default().Extend("line", text); err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return nil
}

// parseOptions reads the arguments of check. Without patterns it is the
// package in the current directory, as for go vet and staticcheck.
func parseOptions(args []string) (*options, error) {
	o := new(options)
	fs := flagSet(o)
	if err := fs.Parse(args); err != nil {
		return nil, flagError(fs, err)
	}
	return o, o.setPatterns(fs.Args())
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
		hint = "; see ctxprop help"
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
