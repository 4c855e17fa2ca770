// Package ctxflow defines the one analyzer with facts. Bottom-up over the
// components of a package's call graph it computes a summary per function
// (what it blocks on and on whose context, where the contexts it returns come
// from, which of its function parameters it calls, which losses its callers
// inherit), and from the summaries a verdict per site: which fresh context
// reaches which blocking work, on whose behalf, where the fault has its home,
// and which rule of silence applies.
//
// It reports nothing by itself. The analyzers select verdicts by code and word
// the messages.
//
// # Analyzer ctxflow
//
// ctxflow: summarise how contexts flow through functions
//
// The summaries cover the user's own code; libraries are described by the
// catalog. A function of which nothing is known is taken at its signature's
// word: it blocks if its first parameter is a context and its last result an
// error, and it derives what it returns from what it was given.
package ctxflow

import (
	"cmp"
	"flag"
	"fmt"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
)

const doc = `summarise how contexts flow through functions

This analyzer reports nothing. It computes the summaries and verdicts from
which ctxbackground and the other analyzers of the suite report.`

// Config holds what changes summaries. Analyzers of one suite share it.
type Config struct {
	// Own lists import-path prefixes of code that is the user's own even if
	// the usual rule would not say so; "all" takes every package that has
	// syntax, for robustness runs.
	Own []string
	// Catalog holds further lines for the catalog.
	Catalog string
	// Lenient lets lines of Catalog be about functions that do not exist.
	Lenient bool
	// Threshold is the product of attempts from which nested retries are
	// reported; 0 for DefaultThreshold.
	Threshold int
	// without turns rules of silence off, for the ablation test.
	without map[Rule]bool
}

// Analyzer has the default settings. The default instances of the analyzers that
// report share it: drivers refuse to run two analyzers with one type of facts.
var Analyzer = New(Config{})

// New returns an analyzer of its own, with its own flags, set to cfg.
func New(cfg Config) *analysis.Analyzer {
	s := &settings{cfg: cfg}
	a := &analysis.Analyzer{
		Name:       "ctxflow",
		Doc:        doc,
		URL:        "https://pkg.go.dev/github.com/ctxprop/ctxprop/internal/ctxflow",
		FactTypes:  []analysis.Fact{new(Fact)},
		ResultType: reflect.TypeFor[*Result](),
		Run:        s.run,
	}
	s.bind(&a.Flags)
	return a
}

// settings is one instance's configuration and what is made from it.
type settings struct {
	cfg     Config
	catalog *catalog.Catalog
}

func (s *settings) bind(fs *flag.FlagSet) {
	fs.Var((*prefixList)(&s.cfg.Own), "own", "comma-separated import-path prefixes of code that is to be summarised as the user's own; \"all\" for every package")
	fs.IntVar(&s.cfg.Threshold, "threshold", cmp.Or(s.cfg.Threshold, DefaultThreshold), "product of attempts from which retries over one another are reported")
	fs.Func("catalog", "further lines for the catalog, separated by newlines or semicolons", func(text string) error {
		c, err := catalog.Default().Extend("-ctxflow.catalog", text)
		if err == nil {
			s.catalog, s.cfg.Catalog = c, text
		}
		return err
	})
}

// tables returns the catalog with the configured lines.
func (s *settings) tables() (*catalog.Catalog, error) {
	if s.catalog != nil {
		return s.catalog, nil
	}
	if s.cfg.Catalog == "" {
		return catalog.Default(), nil
	}
	return catalog.Default().Extend("catalog", s.cfg.Catalog)
}

func (s *settings) run(pass *analysis.Pass) (res any, err error) {
	if pass.TypesInfo == nil || pass.TypesInfo.Uses == nil {
		return &Result{}, nil // a dependency known from export data only
	}
	if own, err := isOwn(pass, &s.cfg, s.tables); err != nil || !own {
		return &Result{}, err
	}
	c, err := s.tables()
	if err != nil {
		return nil, err
	}
	e := &engine{pass: pass, catalog: c, cfg: &s.cfg, declared: map[*types.Func][]string{}}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error in ctxflow on package %s, at %s: %v", pass.Pkg.Path(), e.at(), p)
		}
	}()
	e.allows = finding.ParseDirectives(pass.Fset, pass.Files)
	if err := e.declare(); err != nil {
		return nil, err
	}
	if !e.matters() {
		e.exportDeclared()
		return &Result{Graph: e.lightGraph(), Directives: e.allows}, nil
	}
	return e.analyze(), nil
}

// at names the function that is being analysed, for the error that a panic
// becomes: no panic may reach a user.
func (e *engine) at() string {
	if e.current == nil {
		return "no function yet"
	}
	return "function " + e.current.key()
}

// importedFact is the summary that an earlier pass left for fn, if any.
func (e *engine) importedFact(fn *types.Func) *Fact {
	if f, ok := e.imported[fn]; ok {
		return f
	}
	f := new(Fact)
	if fn.Pkg() == nil || fn.Pkg() == e.pass.Pkg || !e.pass.ImportObjectFact(fn, f) {
		f = nil
	}
	e.imported[fn] = f
	return f
}
