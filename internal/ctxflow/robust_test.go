package ctxflow

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// everything is ctxflow without the two shortcuts that spare it most code:
// whatever has syntax is summarised.
func everything() *analysis.Analyzer {
	s := &settings{cfg: Config{Own: []string{"all"}}}
	a := New(s.cfg)
	a.Run = func(pass *analysis.Pass) (any, error) {
		if pass.TypesInfo == nil || len(pass.Files) == 0 {
			return &Result{}, nil
		}
		c, err := s.tables()
		if err != nil {
			return nil, err
		}
		e := &engine{pass: pass, catalog: c, cfg: &s.cfg, imported: map[*types.Func]*Fact{}, allows: finding.ParseDirectives(pass.Fset, pass.Files)}
		return e.analyze(), nil
	}
	return a
}

// TestLibraries summarises the standard library and the toolchain, for four
// systems, and two large modules, all with their tests: more than 100,000
// functions of every shape that Go has. It asks for no more than an end
// without a panic, over more code than any cap may hide.
func TestLibraries(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	const atLeast = 100_000
	tools, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/tools").Output()
	if err != nil {
		t.Fatal(err)
	}
	functions, unknown, failed := 0, 0, 0
	seen := map[string]bool{} // files; a package is taken again if it has others elsewhere
	for _, part := range []struct{ goos, dir, pattern string }{
		{"linux", ".", "std"}, {"linux", ".", "cmd"}, {"linux", ".", "honnef.co/go/tools/..."},
		{"linux", strings.TrimSpace(string(tools)), "./..."},
		{"windows", ".", "std"}, {"windows", ".", "cmd"}, {"darwin", ".", "std"}, {"freebsd", ".", "std"},
	} {
		tree := listSource(t, part.goos, part.dir, part.pattern)
		tree.declare()
		for _, d := range tree.order {
			if !d.hasNew(seen) {
				continue
			}
			for _, pkg := range tree.withTests(d) {
				for _, r := range analyzeAll(t, []*packages.Package{pkg}) {
					functions += r.Functions
					unknown += len(r.Unknown)
				}
			}
			d.markSeen(seen)
		}
		failed += tree.failed
	}
	t.Logf("%d functions; %d were over the cap; %d packages did not type-check", functions, unknown, failed)
	if functions < atLeast {
		t.Errorf("%d functions, less than %d", functions, atLeast)
	}
	if unknown > functions/1000 {
		t.Errorf("%d of %d functions are over the cap", unknown, functions)
	}
}

// sourceTree type-checks packages from source, since compiling the toolchain's
// own tests for their export data would take longer than all the rest. A
// package that a test recompiles with its tests is not recompiled for the
// packages between, so that a few tests do not type-check; they are skipped.
type sourceTree struct {
	order  []*sourceDir // imports first
	byPath map[string]*sourceDir
	failed int
}

// sourceDir is a package as go list describes it.
type sourceDir struct {
	ImportPath, Dir, Name              string
	GoFiles, TestGoFiles, XTestGoFiles []string
	ImportMap                          map[string]string

	types *types.Package // without tests and bodies
}

func (d *sourceDir) files() []string {
	names := slices.Concat(d.GoFiles, d.TestGoFiles, d.XTestGoFiles)
	for i, name := range names {
		names[i] = filepath.Join(d.Dir, name)
	}
	return names
}

func (d *sourceDir) hasNew(seen map[string]bool) bool {
	return slices.ContainsFunc(d.files(), func(name string) bool { return !seen[name] })
}

func (d *sourceDir) markSeen(seen map[string]bool) {
	for _, name := range d.files() {
		seen[name] = true
	}
}

func listSource(t *testing.T, goos, dir, pattern string) *sourceTree {
	t.Helper()
	args := []string{"list", "-e", "-deps", "-pgo=off", "-json=ImportPath,Dir,Name,GoFiles,TestGoFiles,XTestGoFiles,ImportMap"}
	list := exec.Command("go", append(args, pattern)...)
	list.Dir = dir
	list.Env = append(os.Environ(), "GOOS="+goos, "GOWORK=off", "CGO_ENABLED=0") // what cgo makes of its files is not source
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	tree := &sourceTree{byPath: map[string]*sourceDir{}}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		d := new(sourceDir)
		if err := dec.Decode(d); err == io.EOF {
			return tree
		} else if err != nil {
			t.Fatal(err)
		}
		tree.order = append(tree.order, d)
		tree.byPath[d.ImportPath] = d
	}
}

// declare type-checks all packages without their bodies, which is what their
// importers see.
func (s *sourceTree) declare() {
	for _, d := range s.order {
		if pkg := s.check(d, d.ImportPath, d.GoFiles, nil, true); pkg != nil {
			d.types = pkg.Types
		}
	}
}

// withTests gives the package with its tests and the package of its external
// tests, as far as they type-check.
func (s *sourceTree) withTests(d *sourceDir) []*packages.Package {
	pkg := s.check(d, d.ImportPath, slices.Concat(d.GoFiles, d.TestGoFiles), nil, false)
	if pkg == nil && len(d.TestGoFiles) > 0 {
		s.failed++
		pkg = s.check(d, d.ImportPath, d.GoFiles, nil, false)
	}
	if pkg == nil {
		s.failed++
		return nil
	}
	out := []*packages.Package{pkg}
	if len(d.XTestGoFiles) == 0 {
		return out
	}
	// Some need what in-package tests export, others what packages between
	// import, which is the plain package.
	for _, self := range []*types.Package{d.types, pkg.Types} {
		if x := s.check(d, d.ImportPath+"_test", d.XTestGoFiles, self, false); x != nil {
			return append(out, x)
		}
	}
	s.failed++
	return out
}

// check type-checks some files of a folder, or returns nil. self is what an
// import of the folder's own package means.
func (s *sourceTree) check(d *sourceDir, importPath string, names []string, self *types.Package, onlyDeclared bool) *packages.Package {
	if importPath == "unsafe" || len(names) == 0 {
		return nil
	}
	pkg := &packages.Package{
		ID: importPath, Name: d.Name, PkgPath: importPath, Fset: token.NewFileSet(),
		TypesSizes: types.SizesFor("gc", runtime.GOARCH), TypesInfo: newInfo(),
	}
	for _, name := range names {
		file, err := parser.ParseFile(pkg.Fset, filepath.Join(d.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		pkg.Syntax = append(pkg.Syntax, file)
	}
	conf := types.Config{
		Sizes: pkg.TypesSizes, IgnoreFuncBodies: onlyDeclared,
		Importer: importFunc(func(imported string) (*types.Package, error) {
			if self != nil && imported == d.ImportPath {
				return self, nil
			}
			return s.imported(cmp.Or(d.ImportMap[imported], imported))
		}),
	}
	var err error
	pkg.Types, err = conf.Check(importPath, pkg.Fset, pkg.Syntax, pkg.TypesInfo)
	if err != nil {
		return nil
	}
	return pkg
}

func (s *sourceTree) imported(importPath string) (*types.Package, error) {
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	if d := s.byPath[importPath]; d != nil && d.types != nil {
		return d.types, nil
	}
	return nil, fmt.Errorf("%s is not there", importPath)
}

type importFunc func(string) (*types.Package, error)

func (f importFunc) Import(importPath string) (*types.Package, error) { return f(importPath) }

func analyzeAll(t *testing.T, pkgs []*packages.Package) []*Result {
	t.Helper()
	graph, err := checker.Analyze([]*analysis.Analyzer{everything()}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []*Result
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Error(act.Err)
			continue
		}
		out = append(out, act.Result.(*Result))
	}
	return out
}

// TestLanguage summarises the programs with which the compiler is tested, the
// oddest Go that there is. Those that do not compile are left out.
func TestLanguage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(goroot)), "test")
	if _, err := os.Stat(root); err != nil {
		t.Skip("this Go installation has no tests of the language")
	}
	programs, functions := 0, 0
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		if pkg := languageTest(name); pkg != nil {
			programs++
			for _, r := range analyzeAll(t, []*packages.Package{pkg}) {
				functions += r.Functions
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d programs, %d functions", programs, functions)
	if programs == 0 {
		t.Error("no programs")
	}
}

// languageTest type-checks one file as a package, or returns nil.
func languageTest(name string) *packages.Package {
	std, err := stdImporter()
	if err != nil {
		return nil
	}
	file, err := parser.ParseFile(memoryFset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	pkg := &packages.Package{
		ID: name, Name: file.Name.Name, PkgPath: "test/" + file.Name.Name, Fset: memoryFset, Syntax: []*ast.File{file},
		TypesSizes: types.SizesFor("gc", runtime.GOARCH), TypesInfo: newInfo(),
	}
	conf := types.Config{Importer: std, Sizes: pkg.TypesSizes}
	pkg.Types, err = conf.Check(pkg.PkgPath, memoryFset, pkg.Syntax, pkg.TypesInfo)
	if err != nil {
		return nil
	}
	return pkg
}
