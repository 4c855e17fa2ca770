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
	"slices"
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
	req, err := freshName(p.decl, "req", "request", "outgoing")
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

// freshName is the first of the names that the declaration does not mention.
func freshName(decl ast.Decl, names ...string) (string, error) {
	used := map[string]bool{}
	ast.Inspect(decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for _, name := range names {
		if !used[name] {
			return name, nil
		}
	}
	return "", errors.New("all names for the request are taken")
}

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
			if fn := calledFunc(b.pass.TypesInfo, n); fn != nil && fn.FullName() == "time.Sleep" {
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
	return analysis.SuggestedFix{
		Message:   fmt.Sprintf("Leave the loop when %s is done", use),
		TextEdits: []analysis.TextEdit{{Pos: body.Lbrace + 1, End: body.Lbrace + 1, NewText: []byte(text)}},
	}, nil
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
