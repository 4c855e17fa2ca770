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

// CtxName is what a parameter is called that is added.
const CtxName = "ctx"

// AddParameter returns the edits by which a function takes a context as its
// first parameter, by the name of [CtxName], and by which the calls in it that
// make root contexts give way to it. The error says why that is not safe.
//
// The calls of the function are the caller's to change, see
// [Builder.PassContext], and so is whether its type may change at all.
func (b *Builder) AddParameter(decl *ast.FuncDecl, roots []*ast.CallExpr) ([]analysis.TextEdit, error) {
	file, err := b.editable(decl.Pos())
	if err != nil {
		return nil, err
	}
	name, edits, err := b.contextName(file, decl.Pos())
	if err != nil {
		return nil, err
	}
	edits = append(edits, b.parameter(decl.Type.Params, CtxName+" "+name+".Context")...)
	p := &parameter{b: b, file: file, decl: decl, roots: roots}
	if err := p.free(); err != nil {
		return nil, err
	}
	for _, root := range roots {
		edit, err := p.replace(root)
		if err != nil {
			return nil, err
		}
		edits = append(edits, edit)
	}
	redeclared, err := p.redeclarations()
	return append(edits, redeclared...), err
}

// AddMethodParameter returns the edits by which an interface's method takes a
// context as its first parameter.
func (b *Builder) AddMethodParameter(field *ast.Field) ([]analysis.TextEdit, error) {
	file, err := b.editable(field.Pos())
	if err != nil {
		return nil, err
	}
	name, edits, err := b.contextName(file, field.Pos())
	if err != nil {
		return nil, err
	}
	params := field.Type.(*ast.FuncType).Params
	if len(params.List) > 0 && len(params.List[0].Names) == 0 { // an interface's need no names
		return append(edits, b.before(params.Opening, params.List[0].Pos(), name+".Context")...), nil
	}
	return append(edits, b.parameter(params, CtxName+" "+name+".Context")...), nil
}

// editable returns the file of a position, or why it must not be edited.
func (b *Builder) editable(pos token.Pos) (*ast.File, error) {
	file := b.fileOf(pos)
	switch {
	case file == nil:
		return nil, errors.New("it is not in a file of the package")
	case ast.IsGenerated(file):
		return nil, errors.New("its file is generated")
	case b.pass.Fset.PositionFor(pos, true) != b.pass.Fset.PositionFor(pos, false):
		return nil, errors.New("a line directive names another source")
	}
	return file, nil
}

// contextName is the name by which the file knows package context at a
// position, with the edits that import it if need be.
func (b *Builder) contextName(file *ast.File, pos token.Pos) (string, []analysis.TextEdit, error) {
	name, err := b.importName(file, "context")
	if err == nil {
		if _, obj := b.pass.Pkg.Scope().Innermost(pos).LookupParent(name, pos); obj != nil {
			if _, ok := obj.(*types.PkgName); !ok {
				return "", nil, fmt.Errorf("%s does not mean the package there", name)
			}
		}
		return name, nil, nil
	}
	if _, obj := b.pass.Pkg.Scope().Innermost(pos).LookupParent("context", pos); obj != nil {
		return "", nil, errors.New("the name context, by which the package would have to be imported, means something else there")
	}
	if edit := b.planFor(file).addImport("context"); edit != nil {
		return "context", []analysis.TextEdit{*edit}, nil
	}
	return "context", nil, nil
}

// parameter inserts a parameter before the others. Those without names get
// one, for a function has names for all of its parameters or for none.
func (b *Builder) parameter(params *ast.FieldList, text string) []analysis.TextEdit {
	if len(params.List) == 0 {
		at := params.Opening + 1
		return []analysis.TextEdit{{Pos: at, End: at, NewText: []byte(text)}}
	}
	edits := b.before(params.Opening, params.List[0].Pos(), text)
	for i, field := range params.List {
		if len(field.Names) > 0 {
			continue
		}
		if i == 0 { // one edit at one place
			edits[0].NewText = append(edits[0].NewText, "_ "...)
			continue
		}
		edits = append(edits, analysis.TextEdit{Pos: field.Pos(), End: field.Pos(), NewText: []byte("_ ")})
	}
	return edits
}

// before inserts an element before the first of a list, on a line of its own
// if that has one.
func (b *Builder) before(opening, first token.Pos, text string) []analysis.TextEdit {
	text += ", "
	if line := b.pass.Fset.PositionFor; line(opening, false).Line != line(first, false).Line {
		text = text[:len(text)-1] + "\n" + b.indent(first)
	}
	return []analysis.TextEdit{{Pos: first, End: first, NewText: []byte(text)}}
}

// PassContext returns the edits by which a call passes a context as its first
// argument. The text is an expression; if it is to be context.Background() or
// another function of that package, name it by [Builder.FromContext].
func (b *Builder) PassContext(call *ast.CallExpr, text string) ([]analysis.TextEdit, error) {
	if _, err := b.editable(call.Pos()); err != nil {
		return nil, err
	}
	if len(call.Args) == 0 {
		at := call.Lparen + 1
		return []analysis.TextEdit{{Pos: at, End: at, NewText: []byte(text)}}, nil
	}
	if _, several := b.pass.TypesInfo.TypeOf(call.Args[0]).(*types.Tuple); several {
		return nil, errors.New("its arguments are the results of one call")
	}
	return b.before(call.Lparen, call.Args[0].Pos(), text), nil
}

// FromContext is how a function of package context is called at a position,
// with the edits that import the package if need be.
func (b *Builder) FromContext(pos token.Pos, call string) (string, []analysis.TextEdit, error) {
	file, err := b.editable(pos)
	if err != nil {
		return "", nil, err
	}
	name, edits, err := b.contextName(file, pos)
	return name + "." + call, edits, err
}

// Usable returns an error unless the context at hand may be passed in a call.
func (b *Builder) Usable(call *ast.CallExpr, use Expr) error {
	p, err := b.locate(call)
	if err != nil {
		return err
	}
	return b.mayUse(p, use)
}

// NameAt returns an error if the name of an added parameter would not mean it,
// or a context made from it, at a position in the function.
func (b *Builder) NameAt(pos token.Pos) error {
	_, obj := b.pass.Pkg.Scope().Innermost(pos).LookupParent(CtxName, pos)
	if v, ok := obj.(*types.Var); obj == nil || ok && v.Parent() != b.pass.Pkg.Scope() && isContextType(v.Type()) {
		return nil
	}
	return fmt.Errorf("the name %s means something else", CtxName)
}

// isContextType reports whether t is context.Context itself.
func isContextType(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Context" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context"
}

// KeepImport returns the range of the file's import of package context, which
// no other fix may remove if code in the file needs it.
func (b *Builder) KeepImport(pos token.Pos) (from, to token.Pos) {
	file := b.fileOf(pos)
	if file == nil {
		return token.NoPos, token.NoPos
	}
	for _, spec := range file.Imports {
		if spec.Path.Value == `"context"` {
			return spec.Pos(), spec.End()
		}
	}
	return token.NoPos, token.NoPos
}

// parameter is a function that is given one.
type parameter struct {
	b     *Builder
	file  *ast.File
	decl  *ast.FuncDecl
	roots []*ast.CallExpr
}

// free returns an error if the name is taken in the function for anything but
// contexts of its own.
func (p *parameter) free() error {
	info := p.b.pass.TypesInfo
	var err error
	ast.Inspect(p.decl, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || id.Name != CtxName || err != nil {
			return err == nil
		}
		taken := false
		switch obj := info.ObjectOf(id).(type) {
		case nil:
		case *types.Var:
			own := obj.Parent() == info.Scopes[p.decl.Type] && p.isParameter(obj)
			taken = !obj.IsField() && (own || obj.Parent() == obj.Pkg().Scope())
		case *types.Func:
			taken = obj.Signature().Recv() == nil
		default:
			taken = true
		}
		if taken {
			err = fmt.Errorf("the name %s is taken in it", CtxName)
		}
		return err == nil
	})
	return err
}

func (p *parameter) isParameter(v *types.Var) bool {
	return v.Pos() < p.decl.Body.Pos()
}

// replace makes the parameter of a root.
func (p *parameter) replace(root *ast.CallExpr) (analysis.TextEdit, error) {
	if err := p.b.NameAt(root.Pos()); err != nil {
		return analysis.TextEdit{}, err
	}
	for _, c := range p.file.Comments {
		if c.Pos() < root.End() && root.Pos() < c.End() {
			return analysis.TextEdit{}, errCommented
		}
	}
	if stmt, list := p.declares(root); stmt != nil {
		cut := p.b.cut(p.file, stmt, list)
		return analysis.TextEdit{Pos: cut.pos, End: cut.end}, nil
	}
	return analysis.TextEdit{Pos: root.Pos(), End: root.End(), NewText: []byte(CtxName)}, nil
}

// declares returns the statement of the function's own block that does nothing
// but declare the name for the root, with the block's statements: the
// parameter stands in its place.
func (p *parameter) declares(root *ast.CallExpr) (ast.Stmt, []ast.Stmt) {
	list := p.decl.Body.List
	for _, stmt := range list {
		name, value := soleDeclaration(stmt)
		if name != nil && name.Name == CtxName && ast.Unparen(value) == root && isContextType(p.b.pass.TypesInfo.TypeOf(name)) {
			return stmt, list
		}
	}
	return nil, nil
}

// soleDeclaration is the one variable that a statement declares, and its value.
func soleDeclaration(stmt ast.Stmt) (*ast.Ident, ast.Expr) {
	switch stmt := stmt.(type) {
	case *ast.AssignStmt:
		if stmt.Tok == token.DEFINE && len(stmt.Lhs) == 1 && len(stmt.Rhs) == 1 {
			id, _ := stmt.Lhs[0].(*ast.Ident)
			return id, stmt.Rhs[0]
		}
	case *ast.DeclStmt:
		decl, ok := stmt.Decl.(*ast.GenDecl)
		if !ok || decl.Tok != token.VAR || len(decl.Specs) != 1 {
			break
		}
		if spec := decl.Specs[0].(*ast.ValueSpec); len(spec.Names) == 1 && len(spec.Values) == 1 {
			return spec.Names[0], spec.Values[0]
		}
	}
	return nil, nil
}

// redeclarations are the edits of statements in the function's own block that
// declare the name, which is that of a parameter now: := becomes = where it
// declares nothing else.
func (p *parameter) redeclarations() ([]analysis.TextEdit, error) {
	info := p.b.pass.TypesInfo
	var edits []analysis.TextEdit
	for _, stmt := range p.decl.Body.List {
		if name, value := soleDeclaration(stmt); name != nil && slices.ContainsFunc(p.roots, func(r *ast.CallExpr) bool { return ast.Unparen(value) == r }) && isContextType(info.TypeOf(name)) {
			continue // cut out
		}
		switch stmt := stmt.(type) {
		case *ast.AssignStmt:
			mine, others := false, false
			for _, lhs := range stmt.Lhs {
				id, ok := lhs.(*ast.Ident)
				if !ok || info.Defs[id] == nil {
					continue
				}
				if id.Name == CtxName {
					mine = true
					if !isContextType(info.TypeOf(id)) {
						return nil, fmt.Errorf("the name %s is taken in it", CtxName)
					}
				} else {
					others = true
				}
			}
			if mine && !others {
				edits = append(edits, analysis.TextEdit{Pos: stmt.TokPos, End: stmt.TokPos + 2, NewText: []byte("=")})
			}
		case *ast.DeclStmt:
			for _, spec := range stmt.Decl.(*ast.GenDecl).Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && slices.ContainsFunc(v.Names, func(id *ast.Ident) bool { return id.Name == CtxName }) {
					return nil, fmt.Errorf("the name %s is taken in it", CtxName)
				}
			}
		}
	}
	return edits, nil
}
