package fix

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// This file builds what leaves a function or a loop when the context at hand is
// done.

// enclosing is the innermost function around the place.
func (p *place) enclosing() *ast.FuncType {
	for _, n := range p.path {
		switch n := n.(type) {
		case *ast.FuncLit:
			return n.Type
		case *ast.FuncDecl:
			return n.Type
		}
	}
	return nil
}

// leave is the statement that leaves the innermost function with its zero
// values and the given error.
func (b *Builder) leave(p *place, err string) (string, error) {
	fn := p.enclosing()
	if fn == nil {
		return "", errors.New("the code is in no function")
	}
	if fn.Results == nil || len(fn.Results.List) == 0 {
		return "return", nil
	}
	var values []string
	for _, field := range fn.Results.List {
		zero, zeroErr := b.zero(p, field.Type)
		if zeroErr != nil {
			return "", zeroErr
		}
		for range max(1, len(field.Names)) {
			values = append(values, zero)
		}
	}
	last := fn.Results.List[len(fn.Results.List)-1].Type
	if !types.Identical(b.pass.TypesInfo.TypeOf(last), types.Universe.Lookup("error").Type()) {
		return "", errors.New("the function does not return an error last")
	}
	values[len(values)-1] = err
	return "return " + strings.Join(values, ", "), nil
}

// zero spells the zero value of a result's type.
func (b *Builder) zero(p *place, e ast.Expr) (string, error) {
	switch t := types.Unalias(b.pass.TypesInfo.TypeOf(e)).(type) {
	case *types.TypeParam:
		text, err := b.text(p.file, e)
		return "*new(" + text + ")", err
	default:
		switch u := t.Underlying().(type) {
		case *types.Basic:
			switch {
			case u.Info()&types.IsBoolean != 0:
				return "false", nil
			case u.Info()&types.IsString != 0:
				return `""`, nil
			case u.Info()&types.IsNumeric != 0:
				return "0", nil
			}
			return "nil", nil
		case *types.Struct, *types.Array:
			text, err := b.text(p.file, e)
			return text + "{}", err
		}
		return "nil", nil
	}
}

// ended spells the error of the context, as a gRPC status where the file knows
// how: the client is then told Canceled or DeadlineExceeded.
func (b *Builder) ended(p *place, use string, asStatus bool) string {
	if asStatus {
		if status, err := b.importName(p.file, "google.golang.org/grpc/status"); err == nil {
			return fmt.Sprintf("%s.FromContextError(%s.Err()).Err()", status, use)
		}
	}
	return use + ".Err()"
}

// WaitOrLeave returns the fix by which a call of time.Sleep, as a statement,
// becomes a select that the context at hand ends too.
func (b *Builder) WaitOrLeave(call *ast.CallExpr, use Expr, asStatus bool) (analysis.SuggestedFix, error) {
	none := analysis.SuggestedFix{}
	p, err := b.locate(call)
	if err != nil {
		return none, err
	}
	if _, ok := p.path[1].(*ast.ExprStmt); !ok || len(call.Args) != 1 {
		return none, errors.New("the call is no statement")
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !isPackage(b.pass.TypesInfo, sel.X) {
		return none, errors.New("time is imported by a dot")
	}
	if err := b.mayUse(p, use); err != nil {
		return none, err
	}
	d, err := b.text(p.file, call.Args[0])
	if err != nil {
		return none, err
	}
	leave, err := b.leave(p, b.ended(p, use.String(), asStatus))
	if err != nil {
		return none, err
	}
	lines := []string{
		"select {",
		fmt.Sprintf("case <-%s.After(%s):", sel.X.(*ast.Ident).Name, d),
		fmt.Sprintf("case <-%s.Done():", use),
		"\t" + leave,
		"}",
	}
	return analysis.SuggestedFix{
		Message:   fmt.Sprintf("Wait for %s.Done() as well", use),
		TextEdits: []analysis.TextEdit{{Pos: call.Pos(), End: call.End(), NewText: []byte(strings.Join(lines, "\n"+b.indent(call.Pos())))}},
	}, nil
}

// CheckBefore returns the fix by which the function is left before the
// statement of a call if the context at hand is done.
func (b *Builder) CheckBefore(call *ast.CallExpr, use Expr, asStatus bool) (analysis.SuggestedFix, error) {
	none := analysis.SuggestedFix{}
	p, err := b.locate(call)
	if err != nil {
		return none, err
	}
	stmt, list := p.statement()
	if list == nil {
		return none, errors.New("the call is not in a statement of its own")
	}
	if err := b.mayUse(p, use); err != nil {
		return none, err
	}
	leave, err := b.leave(p, b.ended(p, use.String(), asStatus))
	if err != nil {
		return none, err
	}
	ind := b.indent(stmt.Pos())
	text := fmt.Sprintf("if %s.Err() != nil {\n%s\t%s\n%s}\n%s", use, ind, leave, ind, ind)
	return analysis.SuggestedFix{
		Message:   fmt.Sprintf("Return if %s is done", use),
		TextEdits: []analysis.TextEdit{{Pos: stmt.Pos(), End: stmt.Pos(), NewText: []byte(text)}},
	}, nil
}

// LeaveLoop returns the fix by which the loop whose for is at the position is
// left if the context at hand is done: in the one sleep by which it waits, else
// at its head.
func (b *Builder) LeaveLoop(pos token.Pos, use Expr, asStatus bool) (analysis.SuggestedFix, error) {
	if sleep := b.sleepIn(b.loopAt(pos)); sleep != nil {
		if f, err := b.WaitOrLeave(sleep, use, asStatus); err == nil {
			return f, nil
		}
	}
	return b.checkAtHead(pos, use, asStatus)
}

// sleepIn is the one call of time.Sleep in a loop's own body, or nil.
func (b *Builder) sleepIn(body *ast.BlockStmt) *ast.CallExpr {
	var sleeps []*ast.CallExpr
	if body == nil {
		return nil
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if fn := typeutil.StaticCallee(b.pass.TypesInfo, n); fn != nil && fn.FullName() == "time.Sleep" {
				sleeps = append(sleeps, n)
			}
		}
		return true
	})
	if len(sleeps) != 1 {
		return nil
	}
	return sleeps[0]
}

func (b *Builder) checkAtHead(pos token.Pos, use Expr, asStatus bool) (analysis.SuggestedFix, error) {
	none := analysis.SuggestedFix{}
	body := b.loopAt(pos)
	if body == nil {
		return none, errors.New("there is no loop")
	}
	p, err := b.locateNode(body)
	if err != nil {
		return none, err
	}
	if err := b.mayUse(p, use); err != nil {
		return none, err
	}
	if b.pass.Fset.PositionFor(body.Lbrace, false).Line == b.pass.Fset.PositionFor(body.Rbrace, false).Line {
		return none, errors.New("the loop is on one line")
	}
	leave, err := b.leave(p, b.ended(p, use.String(), asStatus))
	if err != nil {
		return none, err
	}
	ind := b.indent(pos) + "\t"
	text := fmt.Sprintf("\n%sif %s.Err() != nil {\n%s\t%s\n%s}", ind, use, ind, leave, ind)
	at := b.headOf(p.file, body)
	return analysis.SuggestedFix{
		Message:   fmt.Sprintf("Leave the loop when %s is done", use),
		TextEdits: []analysis.TextEdit{{Pos: at, End: at, NewText: []byte(text)}},
	}, nil
}

// headOf is where a body that is not on one line begins: after its brace, and
// after what is remarked there.
func (b *Builder) headOf(file *ast.File, body *ast.BlockStmt) token.Pos {
	at := body.Lbrace + 1
	line := b.pass.Fset.PositionFor(at, false).Line
	for _, c := range file.Comments {
		if c.Pos() >= at && b.pass.Fset.PositionFor(c.Pos(), false).Line == line {
			at = c.End()
		}
	}
	return at
}

func (b *Builder) loopAt(pos token.Pos) *ast.BlockStmt {
	var body *ast.BlockStmt
	if file := b.fileOf(pos); file != nil {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ForStmt:
				if n.For == pos {
					body = n.Body
				}
			case *ast.RangeStmt:
				if n.For == pos {
					body = n.Body
				}
			}
			return body == nil && n != nil && n.Pos() <= pos && pos < n.End()
		})
	}
	return body
}

// LeaveWhenDone returns the fix by which a Done case of a select leaves the
// function. pos is the arrow of the case.
func (b *Builder) LeaveWhenDone(pos token.Pos, asStatus bool) (analysis.SuggestedFix, error) {
	none := analysis.SuggestedFix{}
	clause := b.caseAt(pos)
	if clause == nil {
		return none, errors.New("there is no such case")
	}
	p, err := b.locateNode(clause)
	if err != nil {
		return none, err
	}
	recv, ok := clause.Comm.(*ast.ExprStmt)
	if !ok {
		return none, errors.New("the case keeps what it receives")
	}
	arrow, ok := ast.Unparen(recv.X).(*ast.UnaryExpr)
	if !ok {
		return none, errors.New("the case is no receive")
	}
	done, ok := ast.Unparen(arrow.X).(*ast.CallExpr)
	if !ok {
		return none, errors.New("the case is not on Done")
	}
	sel, ok := ast.Unparen(done.Fun).(*ast.SelectorExpr)
	if !ok {
		return none, errors.New("the case is not on Done")
	}
	ctx, err := b.text(p.file, sel.X)
	if err != nil {
		return none, err
	}
	leave, err := b.leave(p, b.ended(p, ctx, asStatus))
	if err != nil {
		return none, err
	}
	edit := analysis.TextEdit{Pos: clause.Colon + 1, End: clause.Colon + 1, NewText: []byte("\n" + b.indent(clause.Pos()) + "\t" + leave)}
	if n := len(clause.Body); n > 0 {
		last := clause.Body[n-1]
		branch, ok := last.(*ast.BranchStmt)
		if ok && (branch.Tok == token.BREAK && branch.Label == nil || branch.Tok == token.CONTINUE) {
			edit = analysis.TextEdit{Pos: branch.Pos(), End: branch.End(), NewText: []byte(leave)}
		} else {
			edit = analysis.TextEdit{Pos: last.End(), End: last.End(), NewText: []byte("\n" + b.indent(last.Pos()) + leave)}
		}
	}
	return analysis.SuggestedFix{Message: "Return when the context is done", TextEdits: []analysis.TextEdit{edit}}, nil
}

func (b *Builder) caseAt(pos token.Pos) *ast.CommClause {
	var found *ast.CommClause
	if file := b.fileOf(pos); file != nil {
		ast.Inspect(file, func(n ast.Node) bool {
			if c, ok := n.(*ast.CommClause); ok && c.Comm != nil && c.Comm.Pos() <= pos && pos < c.Comm.End() {
				found = c
			}
			return n != nil && n.Pos() <= pos && pos < n.End()
		})
	}
	return found
}
