package cli

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// baseLoader loads a program at an older revision. Package packages cannot: it
// insists on reading each file from the disk, even those that are only in an
// overlay, and it does not let one load build upon another.
type baseLoader struct {
	tree *baseTree
	o    *options
	g    *goEnv
	cfg  *packages.Config
	head *program

	heads  map[string]*packages.Package // all packages of head, by ID
	source map[string]bool              // IDs of those to analyse
	deps   map[string]*packages.Package // by path, where they differ from head's
	same   map[*packages.Package]bool
	loaded map[*packages.Package]*packages.Package
}

func (l *baseLoader) load() (*program, error) {
	l.cfg.Mode = metadataMode
	roots, err := packages.Load(l.cfg, l.o.patterns...)
	if err != nil {
		return nil, loadFailure(err, l.g)
	}
	prog := &program{fset: l.head.fset, matched: make(map[string]bool)}
	// What the patterns name may be new.
	roots = slices.DeleteFunc(roots, func(pkg *packages.Package) bool { return isTestMain(pkg) || len(pkg.CompiledGoFiles) == 0 })
	if len(roots) == 0 {
		return prog, nil
	}
	if err := problems(roots, l.o, l.g); err != nil {
		return nil, err
	}
	for _, pkg := range roots {
		prog.matched[pkg.ID] = true
	}
	wanted := l.fromSource(roots)
	prog.pkgs, err = l.check(wanted)
	if errors.Is(err, errNotShared) {
		if err = l.loadDependencies(wanted); err == nil {
			prog.pkgs, err = l.check(wanted)
		}
	}
	if err != nil {
		return nil, err
	}
	return prog, problems(prog.pkgs, l.o, l.g)
}

// fromSource adds the user's own packages below the roots, as load does, and
// orders them by ID.
func (l *baseLoader) fromSource(roots []*packages.Package) []*packages.Package {
	l.source = make(map[string]bool)
	var wanted []*packages.Package
	add := func(pkg *packages.Package) {
		if !l.source[pkg.ID] {
			l.source[pkg.ID] = true
			wanted = append(wanted, pkg)
		}
	}
	for _, pkg := range roots {
		add(pkg)
	}
	if !namesFiles(l.o.patterns) {
		packages.Visit(roots, nil, func(pkg *packages.Package) {
			if pkg.ForTest == "" && isOwn(pkg, l.o.own) {
				add(pkg)
			}
		})
	}
	slices.SortFunc(wanted, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	return wanted
}

// check type-checks packages, those that have not changed excepted, which are
// head's.
func (l *baseLoader) check(wanted []*packages.Package) ([]*packages.Package, error) {
	l.same, l.loaded = make(map[*packages.Package]bool), make(map[*packages.Package]*packages.Package)
	l.heads = make(map[string]*packages.Package)
	if l.deps == nil {
		packages.Visit(l.head.pkgs, nil, func(pkg *packages.Package) { l.heads[pkg.ID] = pkg })
	}
	analysed := make(map[*packages.Package]bool)
	for _, pkg := range l.head.pkgs {
		analysed[pkg] = true
	}
	var pkgs []*packages.Package
	for _, pkg := range wanted {
		got, err := l.pkg(pkg, analysed)
		if err != nil {
			return nil, err
		}
		pkgs = append(pkgs, got)
	}
	return pkgs, l.cfg.Context.Err()
}

// pkg is the package with types: head's if nothing about it has changed.
func (l *baseLoader) pkg(meta *packages.Package, analysed map[*packages.Package]bool) (*packages.Package, error) {
	if done := l.loaded[meta]; done != nil {
		return done, nil
	}
	if got := l.heads[meta.ID]; got != nil && l.unchanged(meta) && (analysed[got] || !l.source[meta.ID]) {
		if got.Types == nil || !got.Types.Complete() && got.PkgPath != "unsafe" {
			return nil, errNotShared // nothing in head imports it by itself
		}
		l.loaded[meta] = got
		return got, nil
	}
	if !l.source[meta.ID] && meta.ForTest == "" {
		if dep := l.deps[meta.PkgPath]; dep != nil {
			l.loaded[meta] = dep
			return dep, nil
		}
		return nil, errNotShared
	}
	pkg := *meta
	l.loaded[meta] = &pkg
	pkg.Imports = make(map[string]*packages.Package)
	for _, path := range slices.Sorted(maps.Keys(meta.Imports)) {
		imp, err := l.pkg(meta.Imports[path], analysed)
		if err != nil {
			return nil, err
		}
		pkg.Imports[path] = imp
		pkg.IllTyped = pkg.IllTyped || imp.IllTyped
	}
	l.typeCheck(&pkg)
	if !l.source[meta.ID] {
		// A variant recompiled for another package's test: in head it comes
		// from export data, and analysers leave it alone.
		pkg.Syntax, pkg.TypesInfo = nil, nil
	}
	return &pkg, nil
}

// unchanged reports whether head has the package with the same files, of the
// same modules, and with the same imports.
func (l *baseLoader) unchanged(meta *packages.Package) bool {
	if known, ok := l.same[meta]; ok {
		return known
	}
	head := l.heads[meta.ID]
	same := head != nil && slices.Equal(head.CompiledGoFiles, meta.CompiledGoFiles) && sameModule(head.Module, meta.Module) &&
		len(head.Imports) == len(meta.Imports) && !slices.ContainsFunc(meta.CompiledGoFiles, l.changed)
	for path, imp := range meta.Imports {
		there := head != nil && head.Imports[path] != nil
		same = same && there && head.Imports[path].ID == imp.ID && l.unchanged(imp)
	}
	l.same[meta] = same
	return same
}

func (l *baseLoader) changed(name string) bool { return !l.tree.same(name) }

func sameModule(a, b *packages.Module) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Path == b.Path && a.Version == b.Version && a.GoVersion == b.GoVersion && a.Dir == b.Dir
}

// loadDependencies reads what the packages import and is not analysed itself
// from export data, which the go command makes if need be.
func (l *baseLoader) loadDependencies(wanted []*packages.Package) error {
	paths := make(map[string]bool)
	seen := make(map[*packages.Package]bool)
	var visit func(pkg *packages.Package)
	visit = func(pkg *packages.Package) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		for _, imp := range pkg.Imports {
			if l.source[imp.ID] || imp.ForTest != "" {
				visit(imp)
			} else {
				paths[imp.PkgPath] = true
			}
		}
	}
	for _, pkg := range wanted {
		visit(pkg)
	}
	l.deps = make(map[string]*packages.Package)
	if len(paths) == 0 {
		return nil
	}
	cfg := *l.cfg
	cfg.Mode, cfg.Tests = packages.LoadTypes|packages.NeedModule, false
	pkgs, err := packages.Load(&cfg, slices.Sorted(maps.Keys(paths))...)
	if err != nil {
		return loadFailure(err, l.g)
	}
	for _, pkg := range pkgs {
		l.deps[pkg.PkgPath] = pkg
	}
	for path := range paths {
		if l.deps[path] == nil {
			return fmt.Errorf("cannot load the dependency %s", path)
		}
	}
	return problems(pkgs, l.o, l.g)
}

// typeCheck parses and checks a package, whose imports are done.
func (l *baseLoader) typeCheck(pkg *packages.Package) {
	pkg.Fset = l.head.fset
	pkg.Types = types.NewPackage(pkg.PkgPath, pkg.Name)
	pkg.TypesInfo = &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue),
		Defs:         make(map[*ast.Ident]types.Object),
		Uses:         make(map[*ast.Ident]types.Object),
		Implicits:    make(map[ast.Node]types.Object),
		Instances:    make(map[*ast.Ident]types.Instance),
		Scopes:       make(map[ast.Node]*types.Scope),
		Selections:   make(map[*ast.SelectorExpr]*types.Selection),
		FileVersions: make(map[*ast.File]string),
	}
	for _, name := range pkg.CompiledGoFiles {
		file, err := l.parse(name)
		addErrors(pkg, err)
		if file != nil {
			pkg.Syntax = append(pkg.Syntax, file)
		}
	}
	pkg.TypesSizes = l.head.pkgs[0].TypesSizes
	config := &types.Config{
		Importer: importer(pkg.Imports),
		Sizes:    pkg.TypesSizes,
		Error:    func(err error) { addErrors(pkg, err) },
	}
	if pkg.Module != nil && pkg.Module.GoVersion != "" {
		config.GoVersion = "go" + pkg.Module.GoVersion
	}
	_ = types.NewChecker(config, pkg.Fset, pkg.Types, pkg.TypesInfo).Files(pkg.Syntax) // the errors are in pkg
	pkg.IllTyped = pkg.IllTyped || len(pkg.Errors) > 0
}

func (l *baseLoader) parse(name string) (*ast.File, error) {
	src, err := l.tree.read(name)
	if err != nil {
		return nil, err
	}
	return parser.ParseFile(l.head.fset, name, src, parser.AllErrors|parser.ParseComments|parser.SkipObjectResolution)
}

type importer map[string]*packages.Package

func (m importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := m[path]; pkg != nil {
		return pkg.Types, nil
	}
	return nil, fmt.Errorf("could not import %s", path)
}

// addErrors notes errors with the package, as package packages does.
func addErrors(pkg *packages.Package, err error) {
	add := func(pos, msg string, kind packages.ErrorKind) {
		pkg.Errors = append(pkg.Errors, packages.Error{Pos: pos, Msg: msg, Kind: kind})
	}
	switch err := err.(type) {
	case nil:
	case scanner.ErrorList:
		for _, e := range err {
			add(e.Pos.String(), e.Msg, packages.ParseError)
		}
	case types.Error:
		add(err.Fset.Position(err.Pos).String(), err.Msg, packages.TypeError)
	case *os.PathError:
		add(err.Path+":1", err.Err.Error(), packages.ParseError)
	default:
		add("-", err.Error(), packages.UnknownError)
	}
}
