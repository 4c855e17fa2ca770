package fix

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
)

// place is what is to be replaced and what surrounds it.
type place struct {
	node ast.Node
	call *ast.CallExpr // the node, if it is a call
	file *ast.File
	path []ast.Node // from the node outwards; the last is the file
	decl ast.Decl   // the top-level declaration
}

// locate finds the call, see locateNode.
func (b *Builder) locate(call *ast.CallExpr) (*place, error) {
	p, err := b.locateNode(call)
	if err == nil {
		p.call = call
	}
	return p, err
}

// locateNode finds an expression or statement in the package, and returns an error where edits are
// not welcome: in files that a generator will write again, and where line
// directives say that the source is another file.
func (b *Builder) locateNode(n ast.Node) (*place, error) {
	file := b.fileOf(n.Pos())
	if file == nil {
		return nil, errors.New("the code is not in a file of the package")
	}
	if ast.IsGenerated(file) {
		return nil, errors.New("the file is generated")
	}
	fset := b.pass.Fset
	if fset.PositionFor(n.Pos(), true) != fset.PositionFor(n.Pos(), false) {
		return nil, errors.New("a line directive names another source")
	}
	path, _ := astutil.PathEnclosingInterval(file, n.Pos(), n.End())
	i := slices.Index(path, n)
	if i < 0 || len(path)-i < 3 {
		return nil, errors.New("the code is not in a declaration of the package")
	}
	decl, ok := path[len(path)-2].(ast.Decl)
	if !ok {
		return nil, errors.New("the code is not in a declaration of the package")
	}
	return &place{node: n, file: file, path: path[i:], decl: decl}, nil
}

func (b *Builder) fileOf(pos token.Pos) *ast.File {
	for _, f := range b.pass.Files {
		if f.FileStart <= pos && pos < f.FileEnd {
			return f
		}
	}
	return nil
}

// parent returns the innermost node round the call that is no parenthesis, and
// its index in the path.
func (p *place) parent() (ast.Node, int) {
	for i, n := range p.path[1:] {
		if _, ok := n.(*ast.ParenExpr); !ok {
			return n, i + 1
		}
	}
	return p.file, len(p.path) - 1 // not reached: the file is in the path
}

// isOperand returns an error where only a call may stand, or where the
// replacement would run too late to have a living context.
func (p *place) isOperand() error {
	for _, n := range p.path {
		// What is deferred runs when the function ends, often because the
		// context is done; its work would then not be done at all.
		if _, ok := n.(*ast.DeferStmt); ok {
			return errors.New("the call is deferred, and the context may be done by then")
		}
	}
	switch parent, _ := p.parent(); parent := parent.(type) {
	case *ast.ExprStmt:
		return errors.New("the call is a statement")
	case *ast.GoStmt:
		if parent.Call == p.call {
			return errors.New("the call is a statement")
		}
	}
	return nil
}

// isRoot returns an error unless the call can go without leaving anything
// behind: arguments and receivers may have effects, and the variables in them
// may have no other use.
func (p *place) isRoot(info *types.Info) error {
	if len(p.call.Args) > 0 {
		return errors.New("the call has arguments")
	}
	var fn types.Object
	switch fun := ast.Unparen(p.call.Fun).(type) {
	case *ast.Ident:
		fn = info.Uses[fun]
		if fn != nil && importedByDot(info, p.file, fn.Pkg()) {
			return fmt.Errorf("package %s is imported by a dot", fn.Pkg().Path())
		}
	case *ast.SelectorExpr:
		if isPackage(info, fun.X) {
			fn = info.Uses[fun.Sel]
		}
	}
	if _, ok := fn.(*types.Func); !ok {
		return errors.New("the call is not of a plain function")
	}
	return nil
}

func isPackage(info *types.Info, e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = info.Uses[id].(*types.PkgName)
	return ok
}

// fits returns an error unless an expression of type t may stand where the
// call stands. The same type always may. Another one, such as a context type of
// the project, may if it becomes an argument whose parameter has a type of its
// own; elsewhere it could change the type of a variable or a type argument.
func (p *place) fits(info *types.Info, t types.Type) error {
	want := info.TypeOf(p.call)
	if types.Identical(t, want) {
		return nil
	}
	mismatch := fmt.Errorf("%s is not %s", t, want)
	outer, ok := p.path[1].(*ast.CallExpr)
	if !ok || outer.Ellipsis.IsValid() {
		return mismatch
	}
	sig, ok := types.Unalias(info.TypeOf(outer.Fun)).(*types.Signature)
	i := slices.Index(outer.Args, ast.Expr(p.call))
	if !ok || i < 0 || infersTypes(info, outer) {
		return mismatch
	}
	if sig.Variadic() && i >= sig.Params().Len()-1 {
		return mismatch
	}
	if !types.AssignableTo(t, sig.Params().At(i).Type()) {
		return mismatch
	}
	return nil
}

// infersTypes reports whether the callee is a generic function.
func infersTypes(info *types.Info, call *ast.CallExpr) bool {
	generic := false
	ast.Inspect(call.Fun, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			_, instance := info.Instances[id]
			generic = generic || instance
		}
		return !generic
	})
	return generic
}

// commented reports whether a comment touches the range.
func (p *place) commented(pos, end token.Pos) bool {
	return slices.ContainsFunc(p.file.Comments, func(c *ast.CommentGroup) bool {
		return c.Pos() < end && pos < c.End()
	})
}

// CallAt returns the call whose opening parenthesis is at the position, which
// is how go/ssa identifies a call, or nil.
func (b *Builder) CallAt(lparen token.Pos) *ast.CallExpr {
	file := b.fileOf(lparen)
	if file == nil {
		return nil
	}
	path, _ := astutil.PathEnclosingInterval(file, lparen, lparen)
	for _, n := range path {
		if call, ok := n.(*ast.CallExpr); ok && call.Lparen == lparen {
			return call
		}
	}
	return nil
}
