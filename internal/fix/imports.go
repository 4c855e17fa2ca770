package fix

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// importSpec is an import that binds a name in its file, with the uses of the
// name.
type importSpec struct {
	spec *ast.ImportSpec
	decl *ast.GenDecl
	uses []*ast.Ident
}

// importsOf returns the imports of a file, without those by a dot and the blank
// ones, which are never touched.
func importsOf(info *types.Info, file *ast.File) []*importSpec {
	var ims []*importSpec
	byName := make(map[types.Object]*importSpec)
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.IMPORT {
			continue
		}
		for _, s := range decl.Specs {
			spec := s.(*ast.ImportSpec)
			name := info.PkgNameOf(spec)
			if name == nil || name.Name() == "." || name.Name() == "_" || spec.Path.Value == `"C"` {
				continue
			}
			im := &importSpec{spec: spec, decl: decl}
			byName[name] = im
			ims = append(ims, im)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if im := byName[info.Uses[id]]; im != nil {
				im.uses = append(im.uses, id)
			}
		}
		return true
	})
	return ims
}

// importedByDot reports whether the file imports pkg by a dot.
func importedByDot(info *types.Info, file *ast.File, pkg *types.Package) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		name := info.PkgNameOf(spec)
		return name != nil && name.Name() == "." && name.Imported() == pkg
	})
}

// usedIn returns how many uses of the import lie in the range.
func (im *importSpec) usedIn(s span) int {
	n := 0
	for _, id := range im.uses {
		if s.contains(id) {
			n++
		}
	}
	return n
}

// removal returns what to delete so that the import is gone: its line, with a
// comment behind it, or the lines of the whole declaration if nothing else is
// in it. A comment above stays, for it often heads a group. An import that
// shares its line, which gofmt would undo, has no removal.
func (im *importSpec) removal(l lines) (span, error) {
	s := span{im.spec.Pos(), im.spec.End()}
	alone := len(im.decl.Specs) == 1
	if alone && !l.commentedInside(im.decl) {
		s = span{im.decl.Pos(), im.decl.End()}
	} else if !im.decl.Lparen.IsValid() {
		s.pos = im.decl.Pos()
	}
	if l.shared(s) {
		return span{}, fmt.Errorf("the import of %s shares its line", im.spec.Path.Value)
	}
	for _, c := range l.file.Comments {
		before := c.Pos() < s.pos && l.of(c.End()) >= l.of(s.pos)
		beyond := l.of(c.Pos()) <= l.of(s.end) && l.of(c.End()) > l.of(s.end)
		if before || s.pos <= c.Pos() && beyond {
			return span{}, errors.New("a comment is wound round the import of " + im.spec.Path.Value)
		}
	}
	return l.widen(s), nil
}

// commentedInside reports whether a comment is between the parentheses of an
// import declaration, on a line of its own or behind a spec.
func (l lines) commentedInside(decl *ast.GenDecl) bool {
	if !decl.Lparen.IsValid() {
		return false
	}
	for _, c := range l.file.Comments {
		if decl.Pos() <= c.Pos() && c.End() <= decl.End() {
			return true
		}
	}
	return false
}

// addImport imports a package of the standard library, or returns nil if the
// file does already: in the group of the file's first such import, at its
// place in the alphabet.
func (p *plan) addImport(path string) *analysis.TextEdit {
	quoted := `"` + path + `"`
	var decl *ast.GenDecl
	for _, d := range p.lines.file.Decls {
		gd, ok := d.(*ast.GenDecl)
		if !ok || gd.Tok != token.IMPORT {
			continue
		}
		for _, s := range gd.Specs {
			spec := s.(*ast.ImportSpec)
			if named := spec.Name == nil || spec.Name.Name != "_" && spec.Name.Name != "."; named && spec.Path.Value == quoted {
				return nil
			}
			if decl == nil && spec.Path.Value != `"C"` {
				decl = gd
			}
		}
	}
	if decl == nil {
		at := p.lines.file.Name.End()
		return &analysis.TextEdit{Pos: at, End: at, NewText: []byte("\n\nimport " + quoted)}
	}
	if !decl.Lparen.IsValid() {
		at := decl.End()
		return &analysis.TextEdit{Pos: at, End: at, NewText: []byte("\nimport " + quoted)}
	}
	var before ast.Spec
	for i, s := range decl.Specs {
		spec := s.(*ast.ImportSpec)
		if i > 0 && p.lines.of(spec.Pos()) > p.lines.of(decl.Specs[i-1].End())+1 {
			break // the next group
		}
		if spec.Path.Value > quoted {
			at := spec.Pos()
			if before == nil && spec.Doc != nil {
				at = spec.Doc.Pos()
			}
			return &analysis.TextEdit{Pos: at, End: at, NewText: []byte(quoted + "\n\t")}
		}
		before = s
	}
	at := before.End()
	for _, c := range p.lines.file.Comments {
		if p.lines.of(c.Pos()) == p.lines.of(at) && c.Pos() >= at {
			at = c.End()
		}
	}
	return &analysis.TextEdit{Pos: at, End: at, NewText: []byte("\n\t" + quoted)}
}
