package ctxprop_test

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/ctxprop/ctxprop/analyzers/ctxbackground"
	"github.com/ctxprop/ctxprop/analyzers/ignoredctx"
	"github.com/ctxprop/ctxprop/analyzers/retrynest"
	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/ctxflow"
)

// reporters is what Bazel's nogo makes of a list of our packages: the variable
// Analyzer of each.
var reporters = []*analysis.Analyzer{ctxbackground.Analyzer, ignoredctx.Analyzer, retrynest.Analyzer}

// nogo and multicheckers start only with a valid set of analyzers.
func TestAnalyzersGoTogether(t *testing.T) {
	if err := analysis.Validate(reporters); err != nil {
		t.Error(err)
	}
}

// bareDriver runs analyzers as the poorest drivers do, nogo above all: passes
// know no module, cannot read files and get no facts about the standard library.
type bareDriver struct {
	keep  func(*types.Func) bool // whether a fact reaches other packages
	facts map[types.Object]analysis.Fact
	found map[string]bool // as place has them
}

// run analyses packages, which come after those that they import.
func (d *bareDriver) run(t *testing.T, pkgs []*packages.Package, analyzers []*analysis.Analyzer) {
	t.Helper()
	d.facts, d.found = map[types.Object]analysis.Fact{}, map[string]bool{}
	for _, pkg := range pkgs {
		results := map[*analysis.Analyzer]any{}
		var run func(a *analysis.Analyzer)
		run = func(a *analysis.Analyzer) {
			if _, done := results[a]; done {
				return
			}
			for _, r := range a.Requires {
				run(r)
			}
			result, err := a.Run(d.pass(a, pkg, results))
			if err != nil {
				t.Fatalf("%s on %s: %v", a, pkg.ID, err)
			}
			results[a] = result
		}
		for _, a := range analyzers {
			run(a)
		}
	}
}

func (d *bareDriver) pass(a *analysis.Analyzer, pkg *packages.Package, results map[*analysis.Analyzer]any) *analysis.Pass {
	return &analysis.Pass{
		Analyzer: a, Fset: pkg.Fset, Files: pkg.Syntax, Pkg: pkg.Types, TypesInfo: pkg.TypesInfo, TypesSizes: pkg.TypesSizes,
		ResultOf:         maps.Clone(results),
		Report:           func(diag analysis.Diagnostic) { d.found[place(pkg, diag)] = true },
		ExportObjectFact: func(obj types.Object, fact analysis.Fact) { d.facts[obj] = fact },
		AllObjectFacts: func() (all []analysis.ObjectFact) {
			for obj, f := range d.facts {
				if fn, isFunc := obj.(*types.Func); isFunc && (obj.Pkg() == pkg.Types || d.keep(fn)) {
					all = append(all, analysis.ObjectFact{Object: obj, Fact: f})
				}
			}
			return all
		},
		ImportObjectFact: func(obj types.Object, fact analysis.Fact) bool {
			f, ok := d.facts[obj]
			if fn, isFunc := obj.(*types.Func); !ok || !isFunc || obj.Pkg() != pkg.Types && !d.keep(fn) {
				return false
			}
			reflect.ValueOf(fact).Elem().Set(reflect.ValueOf(f).Elem())
			return true
		},
	}
}

// quiet are the functions of which a fact says that they do not block, although
// they have the shape of one that does.
func (d *bareDriver) quiet() []string {
	var names []string
	for obj, f := range d.facts {
		if f, ok := f.(*ctxflow.Fact); ok && f.Quiet {
			names = append(names, callee.ShortName(obj.(*types.Func)))
		}
	}
	return names
}

// TestBareDriver runs the suite without what some drivers do not have, and with
// facts that get lost on the way. Without modules, files and facts of the
// standard library the same is found. What is found without facts is found with
// them: a function without one is taken at its signature's word, so only those
// that look as if they blocked, and do not, are taken for more than they are.
func TestBareDriver(t *testing.T) {
	for name, dir := range bareTrees(t) {
		t.Run(name, func(t *testing.T) {
			pkgs := loadInOrder(t, dir)
			suite := []*analysis.Analyzer{whole(t)}
			all := bareDriver{keep: func(*types.Func) bool { return true }}
			all.run(t, pkgs, suite)
			if len(all.found) < 3 { // or nothing is tested
				t.Errorf("found only %v", all.found)
			}
			full := fullDriver(t, pkgs, suite)
			for f := range all.found {
				if !full[f] {
					t.Errorf("found without modules, files and facts of the standard library only: %s", f)
				}
			}
			for f := range full {
				if !all.found[f] {
					t.Errorf("missing without modules, files and facts of the standard library: %s", f)
				}
			}
			for lost, keep := range map[string]func(*types.Func) bool{
				"all":        func(*types.Func) bool { return false },
				"methods'":   func(f *types.Func) bool { return f.Signature().Recv() == nil },
				"functions'": func(f *types.Func) bool { return f.Signature().Recv() != nil },
				"half":       func(f *types.Func) bool { return len(f.FullName())%2 == 0 },
				"other half": func(f *types.Func) bool { return len(f.FullName())%2 == 1 },
			} {
				some := bareDriver{keep: keep}
				some.run(t, pkgs, suite)
				for f := range some.found {
					looksOnly := slices.ContainsFunc(all.quiet(), func(name string) bool { return strings.Contains(f, "cuts "+name+" off") })
					if !all.found[f] && !looksOnly {
						t.Errorf("with %s facts lost: %s", lost, f)
					}
				}
				if lost == "all" && maps.Equal(some.found, all.found) {
					t.Error("no finding needs a fact, so that nothing is tested")
				}
			}
		})
	}
}

// bareTrees are modules whose only dependency is the standard library.
func bareTrees(t *testing.T) map[string]string {
	t.Helper()
	trees := map[string]string{"shop": "examples/shop", "cases": "testdata/cases"}
	for name, file := range map[string]string{
		"drivers": "analyzers/ctxbackground/testdata/drivers.txtar",
		"chain":   "golangci/cmd/ctxprop-golangci-lint/e2e/testdata/chain.txtar",
	} {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files, err := txtar.FS(archive)
		if err != nil {
			t.Fatal(err)
		}
		trees[name] = filepath.Join(t.TempDir(), name)
		if err := os.CopyFS(trees[name], files); err != nil {
			t.Fatal(err)
		}
	}
	return trees
}

// loadInOrder loads a module, packages after those that they import.
func loadInOrder(t *testing.T, dir string) []*packages.Package {
	t.Helper()
	cfg := &packages.Config{
		Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir,
		Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off"),
	}
	roots, err := packages.Load(cfg, "./...")
	if err != nil {
		t.Fatal(err)
	}
	var pkgs []*packages.Package
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		for _, e := range pkg.Errors {
			t.Fatal(e)
		}
		if slices.Contains(roots, pkg) {
			pkgs = append(pkgs, pkg)
		}
	})
	return pkgs
}

// fullDriver is what the driver of x/tools, which the command uses, finds.
func fullDriver(t *testing.T, pkgs []*packages.Package, analyzers []*analysis.Analyzer) map[string]bool {
	t.Helper()
	graph, err := checker.Analyze(analyzers, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatal(act.Err)
		}
		for _, d := range act.Diagnostics {
			found[place(act.Package, d)] = true
		}
	}
	return found
}

func place(pkg *packages.Package, d analysis.Diagnostic) string {
	at := pkg.Fset.Position(d.Pos)
	return fmt.Sprintf("%s/%s:%d:%d: %s", pkg.PkgPath, filepath.Base(at.Filename), at.Line, at.Column, d.Message)
}
