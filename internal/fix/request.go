package fix

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// BuildRequest returns the fix by which
//
//	resp, err := http.Get(url)
//	if err != nil {
//		...
//	}
//
// becomes a request that is built with the context at hand and then sent. The
// error of building it is handled as that of the call is, so the statement
// must be followed by a test of it that leaves.
func (b *Builder) BuildRequest(call *ast.CallExpr, use Expr) (analysis.SuggestedFix, error) {
	none := analysis.SuggestedFix{}
	p, err := b.locate(call)
	if err != nil {
		return none, err
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return none, errors.New("the call is not of net/http")
	}
	assign, ok := p.path[1].(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 2 || len(assign.Rhs) != 1 {
		return none, errors.New("the results are not assigned to two variables that are declared there")
	}
	resp, ok1 := assign.Lhs[0].(*ast.Ident)
	errVar, ok2 := assign.Lhs[1].(*ast.Ident)
	if !ok1 || !ok2 || resp.Name == "_" || errVar.Name == "_" || b.pass.TypesInfo.Defs[resp] == nil {
		return none, errors.New("the response or the error goes elsewhere")
	}
	if err := b.mayUse(p, use); err != nil {
		return none, err
	}
	handling, err := b.errorPath(p, assign, resp, errVar)
	if err != nil {
		return none, err
	}
	pkg, err := b.importName(p.file, "net/http")
	if err != nil {
		return none, err
	}
	req, err := freshName(p.decl, nil, "req", "request", "outgoing")
	if err != nil {
		return none, err
	}
	client := pkg + ".DefaultClient"
	if !isPackage(b.pass.TypesInfo, sel.X) {
		if client, err = b.text(p.file, sel.X); err != nil {
			return none, err
		}
	}
	args := make([]string, len(call.Args))
	for i, arg := range call.Args {
		if args[i], err = b.text(p.file, arg); err != nil {
			return none, err
		}
	}
	method, body, header := pkg+".MethodGet", "nil", ""
	switch {
	case sel.Sel.Name == "Get" && len(args) == 1:
	case sel.Sel.Name == "Head" && len(args) == 1:
		method = pkg + ".MethodHead"
	case sel.Sel.Name == "Post" && len(args) == 3:
		method, body = pkg+".MethodPost", args[2]
		header = fmt.Sprintf("%s.Header.Set(\"Content-Type\", %s)", req, args[1])
	default:
		return none, fmt.Errorf("%s cannot be taken apart", sel.Sel.Name)
	}
	lines := []string{
		fmt.Sprintf("%s, %s := %s.NewRequestWithContext(%s, %s, %s, %s)", req, errVar.Name, pkg, use, method, args[0], body),
		handling,
	}
	if header != "" {
		lines = append(lines, header)
	}
	lines = append(lines, fmt.Sprintf("%s, %s := %s.Do(%s)", resp.Name, errVar.Name, client, req))
	text, err := format.Source([]byte(strings.Join(lines, "\n")))
	if err != nil {
		return none, err
	}
	return analysis.SuggestedFix{
		Message:   fmt.Sprintf("Build the request with %s", use),
		TextEdits: []analysis.TextEdit{{Pos: assign.Pos(), End: assign.End(), NewText: []byte(strings.ReplaceAll(string(text), "\n", "\n"+b.indent(assign.Pos())))}},
	}, nil
}

// errorPath prints the statement that follows and leaves if the error is not
// nil, for it to stand twice.
func (b *Builder) errorPath(p *place, assign ast.Stmt, resp, errVar *ast.Ident) (string, error) {
	next := statementAfter(p.path, assign)
	test, ok := next.(*ast.IfStmt)
	if !ok || test.Init != nil || test.Else != nil {
		return "", errors.New("the error is not tested in the next statement")
	}
	cond, ok := test.Cond.(*ast.BinaryExpr)
	info := b.pass.TypesInfo
	if !ok || cond.Op != token.NEQ || variable(info, cond.X) != variable(info, errVar) || !info.Types[cond.Y].IsNil() || !leaves(test.Body.List) {
		return "", errors.New("the error is not tested in the next statement")
	}
	mentions := false
	ast.Inspect(test, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && info.Uses[id] == info.Defs[resp] {
			mentions = true
		}
		return !mentions
	})
	if mentions {
		return "", errors.New("the response is used where the error is handled")
	}
	return b.text(p.file, test)
}

// leaves reports whether the statements end by leaving the block for good.
func leaves(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch last := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return last.Tok == token.CONTINUE || last.Tok == token.BREAK
	}
	return false
}

// statementAfter is the statement that follows in the same block, or nil.
func statementAfter(path []ast.Node, stmt ast.Stmt) ast.Stmt {
	for _, n := range path {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		default:
			continue
		}
		if i := slices.Index(list, stmt); i >= 0 {
			if i+1 < len(list) {
				return list[i+1]
			}
			return nil
		}
	}
	return nil
}
