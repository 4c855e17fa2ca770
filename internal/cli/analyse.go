package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ctxprop/ctxprop"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/guard"
)

// unit is what the analyzers made of one package.
type unit struct {
	pkg     *packages.Package
	matched bool // by the user's patterns: its findings are to be shown
	results []any
}

// resultOf returns the result of type T that an analyzer has for the package.
func resultOf[T any](u *unit) (T, bool) {
	for _, r := range u.results {
		if t, ok := r.(T); ok {
			return t, true
		}
	}
	var zero T
	return zero, false
}

// findings returns what all analyzers have found in the package.
func (u *unit) findings() []*finding.Finding {
	var fs []*finding.Finding
	for _, r := range u.results {
		found, _ := r.([]*finding.Finding)
		fs = append(fs, found...)
	}
	return fs
}

// analyzers builds the suite for a run. Its members make fixes for what they
// would report, so they are told what the run shows.
func (p *process) analyzers(o *options) []*analysis.Analyzer {
	as := p.suite(o.own, o.catalog)
	set := func(flag, value string) {
		_ = ctxprop.SetFlag(as, flag, value) // the command's own flag has checked it
	}
	set("severity", o.severity.String())
	set("codes", o.codes.String())
	if o.threshold != 0 {
		set("threshold", strconv.Itoa(o.threshold))
	}
	return as
}

// analyse runs the analyzers over the program. Units come in the order of
// its packages, and their results in that of the analyzers.
func analyse(analyzers []*analysis.Analyzer, prog *program) ([]*unit, error) {
	units, err := analyseAll(analyzers, prog)
	if err != nil {
		return nil, err
	}
	return units[0], nil
}

// analyseAll runs the analyzers over several programs, and once only over
// packages that they share.
func analyseAll(analyzers []*analysis.Analyzer, progs ...*program) ([][]*unit, error) {
	var pkgs []*packages.Package
	seen := make(map[*packages.Package]bool)
	for _, prog := range progs {
		for _, pkg := range prog.pkgs {
			if !seen[pkg] {
				seen[pkg] = true
				pkgs = append(pkgs, pkg)
			}
		}
	}
	graph, err := checker.Analyze(guard.Analyzers(analyzers), pkgs, nil)
	if err != nil {
		return nil, err
	}
	if err := actionErrors(graph); err != nil {
		return nil, err
	}
	type key struct {
		a   *analysis.Analyzer
		pkg *packages.Package
	}
	results := make(map[key]any)
	for _, act := range graph.Roots {
		results[key{act.Analyzer, act.Package}] = act.Result
	}
	var all [][]*unit
	for _, prog := range progs {
		units := make([]*unit, len(prog.pkgs))
		for i, pkg := range prog.pkgs {
			u := &unit{pkg: pkg, matched: prog.matched[pkg.ID]}
			for _, a := range analyzers {
				u.results = append(u.results, results[key{a, pkg}])
			}
			units[i] = u
		}
		all = append(all, units)
	}
	return all, nil
}

// actionErrors returns the errors of failed actions, first causes only: an
// action whose prerequisite failed has nothing to add.
func actionErrors(graph *checker.Graph) error {
	var texts []string
	for act := range graph.All() {
		if act.Err == nil || slices.ContainsFunc(act.Deps, func(d *checker.Action) bool { return d.Err != nil }) {
			continue
		}
		if _, named := errors.AsType[*guard.Error](act.Err); named {
			texts = append(texts, act.Err.Error())
			continue
		}
		texts = append(texts, fmt.Sprintf("%s on package %s: %v", act.Analyzer, act.Package.ID, act.Err))
	}
	if texts == nil {
		return nil
	}
	slices.Sort(texts)
	texts = slices.Compact(texts) // a package and its test variant
	return errors.New(strings.Join(texts, "\n\t"))
}
