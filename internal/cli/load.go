package cli

import (
	"context"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// loadMode type-checks what the patterns match from source and reads the rest
// from export data. Module is there for the analyzers' own-code rule.
const loadMode = packages.LoadSyntax | packages.NeedModule | packages.NeedForTest

// program is what a run analyses.
type program struct {
	fset    *token.FileSet
	pkgs    []*packages.Package // from source, ordered by ID
	matched map[string]bool     // IDs of those that the patterns match
}

// load brings in the packages that the patterns match and, from source too,
// the user's own packages below them.
//
// The latter matter because facts are made from source only: with
// "ctxprop ./cmd/x" alone, a context lost in ./store would go unseen, though
// "go vet -vettool" of the same pattern sees it. Their findings are not shown.
// They are only known once a first load has followed the imports; ./... is
// the usual pattern, and for it there is no second load.
func (p *process) load(ctx context.Context, o *options, g *goEnv) (*program, error) {
	cfg := o.loadConfig(ctx, p.env, g)
	if o.overlay != nil {
		o.overlay.configure(cfg)
	}
	pkgs, err := loadSound(cfg, o, g, o.patterns, isTestMain)
	if err != nil {
		return nil, err
	}
	prog := &program{fset: cfg.Fset, matched: make(map[string]bool)}
	for _, pkg := range pkgs {
		prog.matched[pkg.ID] = true
	}
	if missing := ownImports(pkgs, o.own); len(missing) > 0 && !namesFiles(o.patterns) {
		// The tests of added packages come with them; nobody asked for those.
		unasked := func(pkg *packages.Package) bool {
			return isTestMain(pkg) || pkg.ForTest != "" && !prog.matched[pkg.ID]
		}
		if pkgs, err = loadSound(cfg, o, g, slices.Concat(o.patterns, missing), unasked); err != nil {
			return nil, err
		}
	}
	prog.pkgs = pkgs
	forgetSyntax(pkgs)
	return prog, nil
}

// forgetSyntax makes all but the given packages what they are if they come from
// export data. The loader reads some others from source too, those that are
// recompiled for another package's test, but not the bodies of their functions,
// of which analyzers would make nonsense.
func forgetSyntax(pkgs []*packages.Package) {
	given := make(map[*packages.Package]bool)
	for _, pkg := range pkgs {
		given[pkg] = true
	}
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		if !given[pkg] {
			pkg.Syntax, pkg.TypesInfo = nil, nil
		}
	})
}

func (o *options) loadConfig(ctx context.Context, env []string, g *goEnv) *packages.Config {
	cfg := &packages.Config{
		Mode:    loadMode,
		Fset:    token.NewFileSet(),
		Context: ctx,
		Dir:     g.dir,
		Env:     env,
		Tests:   o.tests,
	}
	if o.tags != "" {
		cfg.BuildFlags = []string{"-tags=" + o.tags}
	}
	return cfg
}

// loadSound loads packages, without the unwanted ones and ordered by ID, or
// returns why they do not build.
func loadSound(cfg *packages.Config, o *options, g *goEnv, patterns []string, unwanted func(*packages.Package) bool) ([]*packages.Package, error) {
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, loadFailure(err, g)
	}
	if len(pkgs) == 0 && g.inModule() {
		if err := listFailure(cfg, patterns, g); err != nil {
			return nil, err
		}
	}
	pkgs = slices.DeleteFunc(pkgs, unwanted)
	slices.SortFunc(pkgs, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	return pkgs, problems(pkgs, o, g)
}

// namesFiles reports whether the patterns are files, which the go command does
// not take together with packages.
func namesFiles(patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return strings.HasSuffix(p, ".go") })
}

// ownImports returns the paths of packages that pkgs import, directly or not,
// that are the user's own and that were not loaded from source.
func ownImports(pkgs []*packages.Package, own []string) []string {
	fromSource := make(map[string]bool)
	for _, pkg := range pkgs {
		fromSource[pkg.ID] = true
	}
	var missing []string
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		// A variant that is recompiled for another package's test cannot be
		// named by a pattern.
		if !fromSource[pkg.ID] && pkg.ForTest == "" && isOwn(pkg, own) {
			missing = append(missing, pkg.PkgPath)
		}
	})
	slices.Sort(missing)
	return slices.Compact(missing)
}

// isOwn mirrors the analyzers' own-code rule as far as it concerns what to
// load: modules of this build that are not somebody's release, and what -own
// names, where "all" is all but the standard library.
func isOwn(pkg *packages.Package, own []string) bool {
	if pkg.Module != nil && (pkg.Module.Version == "" || slices.Contains(own, "all")) {
		return true
	}
	return slices.ContainsFunc(own, func(prefix string) bool {
		return pkg.PkgPath == prefix || strings.HasPrefix(pkg.PkgPath, strings.TrimSuffix(prefix, "/")+"/")
	})
}

// isTestMain reports whether pkg is the generated main package of a test,
// whose one file lies in the build cache.
func isTestMain(pkg *packages.Package) bool {
	return pkg.Name == "main" && strings.HasSuffix(pkg.PkgPath, ".test") && strings.HasSuffix(pkg.ID, ".test")
}
