package thread

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/fix"
	"github.com/ctxprop/ctxprop/internal/link"
)

// source is a file with the package that it was first loaded in: a file of a
// package is loaded again with the package's tests.
type source struct {
	name    string
	file    *ast.File
	pkg     *packages.Package
	builder *fix.Builder
}

// callee is the declared function that a call names, or nil.
func (s *source) callee(call *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return nil
	}
	fn, _ := s.pkg.TypesInfo.Uses[id].(*types.Func)
	return fn
}

// Options are the user's.
type Options struct {
	// Exported: change functions that other modules may call.
	Exported bool
	// Dir is what names of files in reasons are relative to.
	Dir string
}

// New indexes the packages, which must come with their tests and in an order
// in which a package precedes its test variant, and the verdicts on them.
func New(fset *token.FileSet, pkgs []*packages.Package, callers *link.Callers, verdicts []*ctxflow.Verdict, o Options) *Program {
	p := &Program{
		fset: fset, dir: o.Dir, callers: callers, exported: o.Exported,
		files: map[string]*source{},
		decls: map[string]*decl{}, refs: map[string][]*ref{}, ifaces: map[string][]namedInterface{}, methods: map[string]*method{}, foreign: map[string][]*types.Named{},
		linked: map[string]token.Pos{}, homes: map[string][]*ctxflow.Verdict{}, own: map[string]bool{}, done: map[string]*change{},
	}
	for _, v := range verdicts {
		if n := callers.Node(v.Node); v.Code == finding.SeveredCallee && !v.Returned && (n == nil || !n.Apart) {
			p.homes[v.Home] = append(p.homes[v.Home], v)
		}
	}
	for _, pkg := range pkgs {
		p.own[pkg.PkgPath] = true
		p.addFiles(pkg)
	}
	p.addInterfaces(pkgs)
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		p.index(p.files[name])
	}
	p.addUnseen(pkgs)
	return p
}

func (p *Program) addFiles(pkg *packages.Package) {
	b := fix.NewBuilder(&analysis.Pass{Fset: p.fset, Files: pkg.Syntax, Pkg: pkg.Types, TypesInfo: pkg.TypesInfo})
	for _, file := range pkg.Syntax {
		name := p.fset.File(file.FileStart).Name()
		if p.files[name] == nil {
			p.files[name] = &source{name, file, pkg, b}
		}
	}
}

// index notes what a file declares and uses.
func (p *Program) index(src *source) {
	info := src.pkg.TypesInfo
	for _, d := range src.file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			if fn, ok := info.Defs[d.Name].(*types.Func); ok {
				p.decls[fn.FullName()] = &decl{fn, d, src}
			}
		}
	}
	for _, group := range src.file.Comments {
		for _, c := range group.List {
			p.addPragma(c)
		}
	}
	ast.Inspect(src.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if fn, ok := info.Uses[n].(*types.Func); ok && fn.Pkg() != nil && p.own[fn.Pkg().Path()] {
				key := fn.Origin().FullName()
				p.refs[key] = append(p.refs[key], &ref{n, src})
			}
		case *ast.CallExpr:
			p.addByName(src, n)
		case *ast.TypeSpec:
			p.addMethods(src, n)
		case *ast.InterfaceType:
			if iface, ok := info.TypeOf(n).(*types.Interface); ok {
				p.addInterface(iface, "the interface at "+p.place(n.Pos()))
			}
		}
		return true
	})
}

// place names a position by its file, seen from the directory of the run, and
// its line.
func (p *Program) place(pos token.Pos) string {
	at := p.fset.Position(pos)
	at.Column = 0
	at.Filename = p.relative(at.Filename)
	return at.String()
}

func (p *Program) relative(name string) string {
	if rel, err := filepath.Rel(p.dir, name); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return name
}
