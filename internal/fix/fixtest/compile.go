package fixtest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/ctxprop/ctxprop/internal/fix"
)

// pkg is a loaded package with the text of its files.
type pkg struct {
	loaded *packages.Package
	files  map[string]string
}

func read(loaded *packages.Package) (*pkg, error) {
	p := &pkg{loaded: loaded, files: make(map[string]string)}
	for _, name := range loaded.CompiledGoFiles {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		p.files[name] = string(text)
	}
	return p, nil
}

// checkFixes applies every fix alone and the first fixes together.
func (p *pkg) checkFixes(diagnostics []analysis.Diagnostic) []error {
	var errs []error
	check := func(what string, fixes ...analysis.SuggestedFix) {
		fixed, err := fix.Apply(p.loaded.Fset, p.files, fixes...)
		if err == nil {
			err = p.compile(fixed)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", what, err))
		}
	}
	var first []analysis.SuggestedFix
	for _, d := range diagnostics {
		for i, f := range d.SuggestedFixes {
			check(fmt.Sprintf("%s: fix %q alone", p.loaded.Fset.Position(d.Pos), f.Message), f)
			if i == 0 {
				first = append(first, f)
			}
		}
	}
	check("all fixes", first...)
	return errs
}

// checkGoldens puts the golden files in place. An archive has a section for
// every message of a fix, which is checked with the other files as they are.
func (p *pkg) checkGoldens() []error {
	var errs []error
	plain := maps.Clone(p.files)
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		archive, err := txtar.ParseFile(name + ".golden")
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if len(archive.Files) == 0 {
			plain[name] = string(archive.Comment)
		}
		for _, section := range archive.Files {
			files := maps.Clone(p.files)
			files[name] = string(section.Data)
			if err := p.compile(files); err != nil {
				errs = append(errs, fmt.Errorf("%s.golden, section %q: %w", name, section.Name, err))
			}
		}
	}
	if err := p.compile(plain); err != nil {
		errs = append(errs, fmt.Errorf("golden files: %w", err))
	}
	return errs
}

// compile type-checks other contents of the package's files.
func (p *pkg) compile(files map[string]string) error {
	fset := token.NewFileSet()
	var syntax []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(fset, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		syntax = append(syntax, f)
	}
	var errs []error
	cfg := types.Config{
		Importer: imports(p.loaded.Imports),
		Sizes:    p.loaded.TypesSizes,
		Error:    func(err error) { errs = append(errs, err) },
	}
	if p.loaded.Module != nil && p.loaded.Module.GoVersion != "" {
		cfg.GoVersion = "go" + p.loaded.Module.GoVersion
	}
	_, _ = cfg.Check(p.loaded.PkgPath, fset, syntax, nil) // errors go to errs
	return errors.Join(errs...)
}

// imports are the packages that are already loaded. A fix may import another
// one: it is looked for below them.
type imports map[string]*packages.Package

func (ims imports) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := ims[path]; p != nil {
		return p.Types, nil
	}
	for _, p := range ims {
		if found := below(p.Types, path, make(map[*types.Package]bool)); found != nil {
			return found, nil
		}
	}
	return nil, fmt.Errorf("package %s is not loaded", path)
}

func below(p *types.Package, path string, seen map[*types.Package]bool) *types.Package {
	if p == nil || seen[p] {
		return nil
	}
	seen[p] = true
	if p.Path() == path && p.Complete() {
		return p
	}
	for _, imported := range p.Imports() {
		if found := below(imported, path, seen); found != nil {
			return found
		}
	}
	return nil
}
