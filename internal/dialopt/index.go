package dialopt

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

// index is what the package's files say of where values come from.
type index struct {
	values map[types.Object][]ast.Expr // what constants, variables and fields are set to
	open   map[*types.Var]bool         // variables that may be set in a way that is not seen
	embeds map[*types.Var]string       // variables that hold an embedded file
	funcs  map[*types.Func]*ast.FuncDecl
	params map[*types.Var]parameter
	calls  map[*types.Func][]*ast.CallExpr
}

// parameter is one of a declared function.
type parameter struct {
	of    *types.Func
	index int
}

// index is made when it is first asked for.
func (f *finder) index() *index {
	if f.idx != nil {
		return f.idx
	}
	f.idx = &index{
		values: map[types.Object][]ast.Expr{}, open: map[*types.Var]bool{}, embeds: map[*types.Var]string{},
		funcs: map[*types.Func]*ast.FuncDecl{}, params: map[*types.Var]parameter{}, calls: map[*types.Func][]*ast.CallExpr{},
	}
	for _, file := range f.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			f.note(f.idx, n)
			return true
		})
	}
	return f.idx
}

func (f *finder) note(idx *index, n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if fn, ok := f.info.Defs[n.Name].(*types.Func); ok {
			idx.funcs[fn] = n
			for i := range fn.Signature().Params().Len() {
				idx.params[fn.Signature().Params().At(i)] = parameter{fn, i}
			}
		}
	case *ast.GenDecl:
		f.noteEmbeds(idx, n)
	case *ast.ValueSpec:
		lhs := make([]ast.Expr, len(n.Names))
		for i, name := range n.Names {
			lhs[i] = name
		}
		f.set(idx, lhs, n.Values)
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN || n.Tok == token.DEFINE {
			f.set(idx, n.Lhs, n.Rhs)
			return
		}
		f.leaveOpen(idx, n.Lhs...)
	case *ast.RangeStmt:
		f.leaveOpen(idx, n.Key, n.Value)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			f.leaveOpen(idx, n.X)
		}
	case *ast.CompositeLit:
		f.noteFields(idx, n)
	case *ast.CallExpr:
		if fn := f.callee(n); fn != nil {
			idx.calls[fn] = append(idx.calls[fn], n)
		}
	}
}

// set notes an assignment. Of a call with several results the first is known
// as that of the call.
func (f *finder) set(idx *index, lhs, rhs []ast.Expr) {
	if len(lhs) != len(rhs) {
		if len(rhs) == 1 {
			if call, ok := ast.Unparen(rhs[0]).(*ast.CallExpr); ok && f.target(lhs[0]) != nil {
				idx.values[f.target(lhs[0])] = append(idx.values[f.target(lhs[0])], call)
				lhs = lhs[1:]
			}
			f.leaveOpen(idx, lhs...)
		}
		return
	}
	for i, l := range lhs {
		if obj := f.target(l); obj != nil {
			idx.values[obj] = append(idx.values[obj], rhs[i])
		}
	}
}

// target is the constant, variable or field that an expression names, or nil.
func (f *finder) target(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if obj := f.info.Defs[e]; obj != nil {
			return obj
		}
		return f.info.Uses[e]
	case *ast.SelectorExpr:
		return f.info.Uses[e.Sel]
	}
	return nil
}

func (f *finder) leaveOpen(idx *index, es ...ast.Expr) {
	for _, e := range es {
		if e == nil {
			continue
		}
		if v, ok := f.target(e).(*types.Var); ok && !v.IsField() {
			idx.open[v] = true
		}
	}
}

func (f *finder) noteFields(idx *index, n *ast.CompositeLit) {
	st, ok := structOf(f.info.TypeOf(n))
	if !ok {
		return
	}
	for i, elt := range n.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok {
				if field := f.info.Uses[key]; field != nil {
					idx.values[field] = append(idx.values[field], kv.Value)
				}
			}
		} else if i < st.NumFields() {
			idx.values[st.Field(i)] = append(idx.values[st.Field(i)], elt)
		}
	}
}

func structOf(t types.Type) (*types.Struct, bool) {
	if t == nil {
		return nil, false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	return st, ok
}

// noteEmbeds finds variables with a go:embed directive that names one file.
func (f *finder) noteEmbeds(idx *index, n *ast.GenDecl) {
	for _, spec := range n.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok || len(v.Names) != 1 {
			continue
		}
		for _, doc := range []*ast.CommentGroup{v.Doc, n.Doc} {
			if obj, ok := f.info.Defs[v.Names[0]].(*types.Var); ok && doc != nil {
				if file, ok := embedded(doc); ok {
					idx.embeds[obj] = file
				}
			}
		}
	}
}

// embedded is the file that a comment embeds, if it is one and no pattern.
func embedded(doc *ast.CommentGroup) (file string, ok bool) {
	for _, c := range doc.List {
		if args, found := strings.CutPrefix(c.Text, "//go:embed "); found {
			file = strings.Trim(strings.TrimPrefix(strings.TrimSpace(args), "all:"), "\"`")
			return file, file != "" && !strings.ContainsAny(file, "*?[\\ \t")
		}
	}
	return "", false
}

// embedded reads an embedded file, which is part of the package: the go
// command runs an analysis again when it changes. A build system that does not
// have it in place gets no findings about it.
func (f *finder) embedded(name string, v *types.Var) []Text {
	dir := filepath.Dir(f.pass.Fset.PositionFor(v.Pos(), false).Filename)
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil || len(data) > maxFile {
		return nil
	}
	for id, obj := range f.info.Defs {
		if obj == v {
			return []Text{{pieces: []piece{{text: string(data), from: id}}, File: name}}
		}
	}
	return nil
}

// maxFile is the size in bytes from which on an embedded file is no service
// config: DNS and xDS, the other ways to get one, carry far less.
const maxFile = 1 << 20
