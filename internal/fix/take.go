package fix

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"path"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A Twin says how to write what takes a context in place of a call.
type Twin struct {
	// Fun is what is called, with %s for what stands before the last dot of
	// the call: "%s.QueryContext" for db.Query.
	Fun string
	// Before are arguments between the context and those of the call, After
	// arguments of a call that has none of its own.
	Before, After []string
	// Lift is the index of the last argument, if that goes into Fun in place
	// of %[2]s instead; 0 if it does not.
	Lift int
}

// TakeContext returns the fix by which a call becomes its twin, which is given
// the context at hand. The error says why there is no safe one.
//
// The caller vouches that the twin takes the same arguments behind its context
// and returns the same results.
func (b *Builder) TakeContext(call *ast.CallExpr, use Expr, twin Twin) (analysis.SuggestedFix, error) {
	p, err := b.locate(call)
	if err != nil {
		return analysis.SuggestedFix{}, err
	}
	if err := b.mayUse(p, use); err != nil {
		return analysis.SuggestedFix{}, err
	}
	name, before := call.Fun, ""
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		name = fun.Sel
		if before, err = b.text(p.file, fun.X); err != nil {
			return analysis.SuggestedFix{}, err
		}
	case *ast.Ident:
		if strings.Contains(twin.Fun, "%s") {
			return analysis.SuggestedFix{}, errors.New("the package is imported by a dot")
		}
	default:
		return analysis.SuggestedFix{}, errors.New("the call is not by name")
	}
	args := append([]string{use.String()}, twin.Before...)
	end := call.Lparen + 1
	fun := strings.Replace(twin.Fun, "%s", before, 1)
	if twin.Lift > 0 {
		if call.Ellipsis.IsValid() || len(call.Args) != twin.Lift+1 {
			return analysis.SuggestedFix{}, errors.New("the arguments are not written one by one")
		}
		lifted, err := b.text(p.file, call.Args[twin.Lift])
		if err != nil {
			return analysis.SuggestedFix{}, err
		}
		fun = strings.Replace(fun, "%[2]s", lifted, 1)
	}
	edits := []analysis.TextEdit{{Pos: call.Fun.Pos(), End: call.Fun.End(), NewText: []byte(fun)}}
	if strings.HasPrefix(twin.Fun, "%s.") { // leave alone what stands before the dot
		edits[0] = analysis.TextEdit{Pos: name.Pos(), End: name.End(), NewText: []byte(twin.Fun[len("%s."):])}
	}
	text := strings.Join(args, ", ")
	if len(call.Args)+len(twin.After) > 0 {
		text += ", "
	}
	edits = append(edits, analysis.TextEdit{Pos: end, End: end, NewText: []byte(text)})
	if twin.Lift > 0 {
		edits = append(edits, analysis.TextEdit{Pos: call.Args[twin.Lift-1].End(), End: call.Args[len(call.Args)-1].End()})
	}
	if len(twin.After) > 0 {
		edits = append(edits, analysis.TextEdit{Pos: call.Rparen, End: call.Rparen, NewText: []byte(strings.Join(twin.After, ", "))})
	}
	return analysis.SuggestedFix{
		Message:   fmt.Sprintf("Call %s with %s", fun, use),
		TextEdits: edits,
	}, nil
}

// mayUse returns an error unless the name of the context at hand means it at
// the place, alive.
func (b *Builder) mayUse(p *place, use Expr) error {
	for _, n := range p.path {
		if _, ok := n.(*ast.DeferStmt); ok {
			return errors.New("the code is deferred, and the context may be done by then")
		}
	}
	if err := use.check(b.pass.Pkg); err != nil {
		return err
	}
	if !isContext(use.typ(b.pass.Pkg)) {
		return fmt.Errorf("%s is no context", use)
	}
	l := newLineage(b.pass.TypesInfo, use, p)
	target, err := l.resolve(b.pass.Pkg)
	if err != nil {
		return err
	}
	return cmp.Or(l.trust(use.Var), l.trust(target))
}

// text prints a node that holds no comment and no function literal, in which
// other fixes may have something to do.
func (b *Builder) text(file *ast.File, n ast.Node) (string, error) {
	for _, c := range file.Comments {
		if c.Pos() < n.End() && n.Pos() < c.End() {
			return "", errCommented
		}
	}
	literal := false
	ast.Inspect(n, func(n ast.Node) bool {
		_, lit := n.(*ast.FuncLit)
		literal = literal || lit
		return !literal
	})
	if literal {
		return "", errors.New("a function literal is in the way")
	}
	var buf bytes.Buffer
	if err := format.Node(&buf, b.pass.Fset, n); err != nil {
		return "", err
	}
	return buf.String(), nil
}

// indent is the white space before the statement at pos, in a file that gofmt
// has seen.
func (b *Builder) indent(pos token.Pos) string {
	return strings.Repeat("\t", b.pass.Fset.PositionFor(pos, false).Column-1)
}

// importName is the name by which the file knows a package.
func (b *Builder) importName(file *ast.File, path string) (string, error) {
	for _, spec := range file.Imports {
		name := b.pass.TypesInfo.PkgNameOf(spec)
		if name != nil && name.Imported().Path() == path && name.Name() != "." && name.Name() != "_" {
			return name.Name(), nil
		}
	}
	return "", fmt.Errorf("the file does not import %s", path)
}

// packageName is how a node spells a package of the standard library: the name
// that the file imports it by, or its own if it will be imported.
func (b *Builder) packageName(file *ast.File, at ast.Node, pkgPath string) (string, error) {
	name, err := b.importName(file, pkgPath)
	if err != nil {
		name = path.Base(strings.TrimSuffix(pkgPath, "/v2")) // it will be imported
	}
	scope := b.pass.Pkg.Scope().Innermost(at.Pos())
	if scope == nil {
		return "", errors.New("the code is in no scope")
	}
	_, obj := scope.LookupParent(name, token.NoPos)
	if pkg, ok := obj.(*types.PkgName); obj != nil && (!ok || pkg.Imported().Path() != pkgPath) {
		return "", fmt.Errorf("%s means something else here", name)
	}
	if mentions(at, name, nil) && obj == nil {
		return "", fmt.Errorf("%s may mean something else here", name)
	}
	return name, nil
}

// freshName is the first of the names that nothing in the node is called, but
// for what is in one part of it.
func freshName(in, except ast.Node, names ...string) (string, error) {
	for _, name := range names {
		if !mentions(in, name, except) {
			return name, nil
		}
	}
	return "", fmt.Errorf("no name is free: %s", strings.Join(names, ", "))
}

// mentions reports whether a name is spelled in a node, except in one part.
func mentions(in ast.Node, name string, except ast.Node) bool {
	found := false
	ast.Inspect(in, func(n ast.Node) bool {
		if n != nil && n == except {
			return false
		}
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return !found
	})
	return found
}
