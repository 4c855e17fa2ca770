package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/gate"
)

// revision is one side of a comparison.
type revision struct {
	prog     *program
	findings []*finding.Finding // shown or not, in the order of places
	tree     *baseTree          // nil for the working tree

	renamed  map[string]string        // paths of modules, by what they were
	files    map[string][]byte        // contents that were asked for
	declared map[string]*types.Func   // by key
	bodies   map[string]*ast.FuncDecl // of those with a body
}

// analyseBoth loads and analyses the working tree and, if there is a tree of a
// base, that as well.
func (p *process) analyseBoth(ctx context.Context, o *gateOptions, tree *baseTree) (head, base *revision, err error) {
	g, err := p.goEnv(ctx, o.dir)
	if err != nil {
		return nil, nil, err
	}
	if tree != nil && strings.Contains(g.GOFLAGS, "-overlay") {
		return nil, nil, errors.New("GOFLAGS has -overlay, which gate needs for itself: unset it")
	}
	progress := startProgress(p.stderr, o.verbose)
	defer progress.stop()
	progress.stage("loading packages")
	head = &revision{}
	if head.prog, err = p.load(ctx, &o.options, g); err != nil {
		return nil, nil, err
	}
	if err := o.checkCatalog(head.prog); err != nil {
		return nil, nil, err
	}
	revisions := []*revision{head}
	if tree != nil {
		progress.stage("loading " + tree.base.Short())
		base = &revision{tree: tree}
		if base.prog, err = tree.program(ctx, p, &o.options, g, head.prog); err != nil {
			return nil, nil, tree.explain(err)
		}
		revisions = append(revisions, base)
	}
	return head, base, p.analyseRevisions(o, revisions, progress)
}

func (p *process) analyseRevisions(o *gateOptions, revisions []*revision, progress *progress) error {
	var progs []*program
	uses := make(map[*packages.Package]int)
	shared := 0
	for _, r := range revisions {
		progs = append(progs, r.prog)
		for _, pkg := range r.prog.pkgs {
			if uses[pkg]++; uses[pkg] == 2 {
				shared++
			}
		}
	}
	progress.stage(fmt.Sprintf("analysing %d packages, %d of them for both revisions", len(uses), shared))
	units, err := analyseAll(p.analyzers(&o.options), progs...)
	if err != nil {
		return err
	}
	if o.verbose {
		progress.stop()
		p.summarise(units[0])
	}
	// The working tree comes first: whether its directives are used must be
	// seen by its own findings, and the base may share them.
	for i, r := range revisions {
		r.findings = dedupe(findingsOf(r.prog, units[i]))
		finding.Sort(r.findings)
	}
	return nil
}

// side is the revision as package gate sees it. Identities have the names that
// modules have now.
func (r *revision) side() *gate.Revision {
	r.renamed = r.tree.renamedModules()
	s := &gate.Revision{Line: r.line, Body: r.body}
	for _, f := range r.findings {
		if len(r.renamed) > 0 {
			now := *f
			now.ID.Home, now.ID.Sink = r.now(f.ID.Home), r.now(f.ID.Sink)
			f = &now
		}
		s.Findings = append(s.Findings, f)
	}
	return s
}

// now is a function's key with the name that its module has now.
func (r *revision) now(key string) string {
	path := strings.TrimLeft(key, "(*") // path.F, (path.T).M or (*path.T).M
	for old, now := range r.renamed {
		if rest, ok := strings.CutPrefix(path, old); ok && rest != "" && (rest[0] == '.' || rest[0] == '/') {
			return key[:len(key)-len(path)] + now + rest
		}
	}
	return key
}

// renamedModules has the paths that modules have now by those that they had.
func (t *baseTree) renamedModules() map[string]string {
	if t == nil {
		return nil
	}
	moved := map[string]string{}
	for name := range t.changes.Before {
		if filepath.Base(name) != "go.mod" {
			continue
		}
		before, _ := os.ReadFile(t.changes.Before[name]) // one that is not there has no path
		after, _ := os.ReadFile(name)
		old, now := modfile.ModulePath(before), modfile.ModulePath(after)
		if old != "" && now != "" && old != now {
			moved[old] = now
		}
	}
	return moved
}

func (r *revision) text(name string) []byte {
	if text, ok := r.files[name]; ok {
		return text
	}
	read := os.ReadFile
	if r.tree != nil {
		read = r.tree.read
	}
	text, _ := read(name) // a file that has gone since has no lines to compare
	if r.files == nil {
		r.files = make(map[string][]byte)
	}
	r.files[name] = text
	return text
}

// line is the source line of a finding, whatever its indentation.
func (r *revision) line(f *finding.Finding) string {
	lines := bytes.Split(r.text(f.Position.Filename), []byte("\n"))
	if n := f.Position.Line; n >= 1 && n <= len(lines) {
		return strings.Join(strings.Fields(string(lines[n-1])), " ")
	}
	return ""
}

// body returns the tokens of a function's declaration, but for its name.
func (r *revision) body(key string) ([]string, bool) {
	if r.declared == nil {
		r.index()
	}
	fn := r.declared[key]
	decl := r.bodies[key]
	if decl == nil {
		return nil, fn != nil
	}
	at := r.prog.fset.Position
	return tokens(r.text(at(decl.Pos()).Filename), at(decl.Pos()).Offset, at(decl.End()).Offset, at(decl.Name.Pos()).Offset), true
}

// index notes the functions, and the methods of interfaces, that the program
// declares.
func (r *revision) index() {
	r.declared, r.bodies = make(map[string]*types.Func), make(map[string]*ast.FuncDecl)
	for _, pkg := range r.prog.pkgs {
		for _, obj := range pkg.TypesInfo.Defs {
			if fn, ok := obj.(*types.Func); ok {
				r.declared[r.now(fn.FullName())] = fn
			}
		}
		for _, file := range pkg.Syntax {
			for _, decl := range file.Decls {
				fd, ok := decl.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if fn, ok := pkg.TypesInfo.Defs[fd.Name].(*types.Func); ok {
					r.bodies[r.now(fn.FullName())] = fd
				}
			}
		}
	}
}

// tokens scans a part of a file, without comments and without the token at an
// offset.
func tokens(src []byte, from, to, without int) []string {
	if to > len(src) {
		return nil
	}
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, to-from)
	var s scanner.Scanner
	s.Init(file, src[from:to], nil, 0)
	var out []string
	for {
		pos, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return out
		case file.Offset(pos) == without-from:
		case lit != "" && lit != "\n":
			out = append(out, lit)
		default:
			out = append(out, tok.String())
		}
	}
}
