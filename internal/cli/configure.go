package cli

import (
	"flag"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/configfile"
	"github.com/ctxprop/ctxprop/internal/finding"
)

// noConfig is the value of -config with which no file is read.
const noConfig = "none"

// bindAnalysis binds the flags of every command that analyses packages.
func (o *options) bindAnalysis(fs *flag.FlagSet) {
	fs.StringVar(&o.dir, "C", "", "run in `directory`; printed file names are relative to it")
	o.bindRules(fs)
	fs.StringVar(&o.tags, "tags", "", "comma-separated `list` of build tags")
	fs.Var(&o.own, "own", "comma-separated import-path `prefixes` of dependencies to analyse like own code, or all")
	fs.Func("catalog", "more `lines` for the catalog, separated by newlines or semicolons: what blocks, stores or derives in your libraries", o.setCatalog)
	fs.Func("threshold", "report retries over one another from this `product` of attempts on (default 9)", o.setThreshold)
	fs.BoolVar(&o.verbose, "v", false, "print to stderr what was loaded and how long it took")
}

// bindRules binds the flags that say what becomes of the codes.
func (o *options) bindRules(fs *flag.FlagSet) {
	fs.StringVar(&o.config, "config", "", "read this `file` instead of the nearest "+configfile.Name+" from the directory upwards; none for no file")
	fs.Func("codes", "comma-separated `rules` that turn codes off or set their severity: CODE=LEVEL or CODE=LEVEL@PATH, where CODE may be all and LEVEL is off, on, info, warning or error; the last that matches holds", o.setCodes)
}

// bindShown binds the flags of a command that shows findings.
func (o *options) bindShown(fs *flag.FlagSet) {
	o.bindSeverity(fs)
	o.tests = true
	fs.BoolVar(&o.tests, "tests", true, "analyse test files too")
}

func (o *options) bindSeverity(fs *flag.FlagSet) {
	o.severity, o.shows = finding.Warning, true
	fs.Var((*severityFlag)(&o.severity), "severity", "show, and count for the exit code, findings from this `severity` on: error, warning or info")
}

func (o *options) setCodes(text string) error {
	p, err := finding.ParsePolicy(text)
	o.codes = append(o.codes, p...)
	return err
}

func (o *options) setThreshold(text string) (err error) {
	o.threshold, err = parseThreshold(text)
	return err
}

// configure fills in from the configuration file what the command line, which
// fs has parsed, leaves open. Lists of both are joined, and where they speak of
// the same, the command line has the last word.
func (o *options) configure(fs *flag.FlagSet) error {
	dir, err := workingDir(o.dir)
	if err != nil {
		return err
	}
	name, err := o.configName(dir)
	if err != nil {
		return usagef("%v", err)
	}
	if name == "" {
		return nil
	}
	if o.config, err = filepath.Rel(dir, name); err != nil {
		o.config = name
	}
	f, err := configfile.Read(name, filepath.ToSlash(o.config))
	if err != nil {
		return usagef("%s", strings.ReplaceAll(err.Error(), "\n", "\n\t"))
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	set := func(flag, value string) {
		if value != "" && !given[flag] && fs.Lookup(flag) != nil {
			_ = fs.Set(flag, value) // the file's reader has checked it
		}
	}
	if o.shows {
		set("severity", f.Severity)
		if f.Tests != nil {
			set("tests", strconv.FormatBool(*f.Tests))
		}
	}
	set("tags", strings.Join(f.Tags, ","))
	if f.Threshold != 0 {
		set("threshold", strconv.Itoa(f.Threshold))
	}
	o.own = append(f.Own, o.own...)
	o.codes = slices.Concat(f.Policy, o.codes)
	if f.Catalog != nil {
		o.catalog = f.CatalogText() + catalog.LineDirective(catalog.Pos{Origin: "-catalog", Line: 1}) + o.catalog
	}
	return nil
}

// configName is the file that holds for a run in dir, or "".
func (o *options) configName(dir string) (string, error) {
	switch {
	case o.config == noConfig:
		return "", nil
	case o.config == "":
		return configfile.Find(dir)
	case filepath.IsAbs(o.config):
		return o.config, nil
	}
	return filepath.Join(dir, o.config), nil
}

// shown returns the findings that the run shows, with the severities that the
// rules for codes give them.
func (o *options) shown(fs []*finding.Finding) []*finding.Finding {
	var out []*finding.Finding
	for _, f := range fs {
		severity, ok := o.codes.Severity(f)
		if !ok || severity < o.severity {
			continue
		}
		if severity != f.Severity {
			changed := *f
			changed.Severity = severity
			f = &changed
		}
		out = append(out, f)
	}
	return out
}
