package fix

import (
	"go/ast"
	"go/token"
	"go/types"
)

// history is what one top-level declaration does to a variable, in any of its
// function literals. It ignores the order of execution: what may happen
// anywhere is held against the variable everywhere.
type history struct {
	param    bool // a parameter or receiver
	opaque   bool // written in a way that is not followed
	writes   []write
	nilTests []nilTest
	calls    []call // of the variable itself, or of its Wait method
}

// write is an assignment or a declaration with a value.
type write struct {
	value    ast.Expr // nil for the zero value; the call for one of several results
	declares bool
	siblings []*types.Var // what else is assigned from the same call
}

// nilTest is a comparison with nil. guard is set if it is the condition of an
// if statement that leaves the function: beyond it the variable is not nil.
type nilTest struct {
	cond  *ast.BinaryExpr
	guard *ast.IfStmt
}

// call is the use of a variable that may end a context: cancel(), group.Wait().
type call struct {
	node     *ast.CallExpr
	deferred bool
}

// histories maps the variables that a declaration mentions.
type histories map[*types.Var]*history

// of returns the history of v, which is empty if nothing is known.
func (hs histories) of(v *types.Var) *history {
	h := hs[v]
	if h == nil {
		h = new(history)
		hs[v] = h
	}
	return h
}

// recorder walks one declaration.
type recorder struct {
	info   *types.Info
	hs     histories
	guards map[*ast.BinaryExpr]*ast.IfStmt
}

// record returns the histories of all variables in decl.
func record(info *types.Info, decl ast.Decl) histories {
	r := recorder{
		info:   info,
		hs:     make(histories),
		guards: make(map[*ast.BinaryExpr]*ast.IfStmt),
	}
	r.walk(decl, false)
	return r.hs
}

// walk visits n; deferred says that it runs when the function ends.
func (r *recorder) walk(n ast.Node, deferred bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			r.params(n.Recv)
		case *ast.FuncType:
			r.params(n.Params)
			r.results(n.Results)
		case *ast.AssignStmt:
			r.assign(n)
		case *ast.ValueSpec:
			r.declare(n)
		case *ast.RangeStmt:
			r.obscure(n.Key)
			r.obscure(n.Value)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				r.obscure(n.X)
			}
		case *ast.BinaryExpr:
			r.compare(n)
		case *ast.CallExpr:
			r.call(n, deferred)
		case *ast.IfStmt:
			r.guard(n)
		case *ast.DeferStmt:
			r.deferred(n.Call, deferred)
			return false
		}
		return true
	})
}

// deferred visits the call of a defer statement, whose arguments are evaluated
// at once.
func (r *recorder) deferred(n *ast.CallExpr, outer bool) {
	r.call(n, true)
	r.walk(n.Fun, true)
	for _, arg := range n.Args {
		r.walk(arg, outer)
	}
}

// guard notes the shape
//
//	if v == nil { ...; return }
func (r *recorder) guard(n *ast.IfStmt) {
	cond, ok := n.Cond.(*ast.BinaryExpr)
	if ok && cond.Op == token.EQL && n.Else == nil && returns(n.Body.List) {
		r.guards[cond] = n
	}
}

// returns reports whether the statements certainly leave their function: the
// last one does, and none goes elsewhere.
func returns(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	if _, ok := list[len(list)-1].(*ast.ReturnStmt); !ok {
		return false
	}
	branches := false
	for _, stmt := range list {
		ast.Inspect(stmt, func(n ast.Node) bool {
			if _, ok := n.(*ast.BranchStmt); ok {
				branches = true
			}
			return !branches
		})
	}
	return !branches
}

func (r *recorder) params(fields *ast.FieldList) {
	for _, v := range r.declared(fields) {
		r.hs.of(v).param = true
	}
}

// results marks named results as opaque: every return statement writes them.
func (r *recorder) results(fields *ast.FieldList) {
	for _, v := range r.declared(fields) {
		r.hs.of(v).opaque = true
	}
}

func (r *recorder) declared(fields *ast.FieldList) []*types.Var {
	if fields == nil {
		return nil
	}
	var vs []*types.Var
	for _, field := range fields.List {
		for _, name := range field.Names {
			if v, ok := r.info.Defs[name].(*types.Var); ok {
				vs = append(vs, v)
			}
		}
	}
	return vs
}

func (r *recorder) assign(n *ast.AssignStmt) {
	if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
		for _, lhs := range n.Lhs {
			r.obscure(lhs)
		}
		return
	}
	for i, lhs := range n.Lhs {
		v := r.variable(lhs)
		if v == nil {
			r.assignField(lhs)
			continue
		}
		w := write{value: n.Rhs[0], declares: r.declares(lhs)}
		if len(n.Lhs) == len(n.Rhs) {
			w.value = n.Rhs[i]
		} else {
			w.siblings = r.others(n.Lhs, i)
		}
		h := r.hs.of(v)
		h.writes = append(h.writes, w)
	}
}

// assignField makes v opaque if its context is replaced: v.ctx = ...
func (r *recorder) assignField(lhs ast.Expr) {
	sel, ok := ast.Unparen(lhs).(*ast.SelectorExpr)
	if ok && isContext(r.info.TypeOf(sel)) {
		r.obscure(sel.X)
	}
}

func (r *recorder) declare(n *ast.ValueSpec) {
	lhs := make([]ast.Expr, len(n.Names))
	for i, name := range n.Names {
		lhs[i] = name
	}
	for i := range lhs {
		v := r.variable(lhs[i])
		if v == nil {
			continue
		}
		w := write{declares: true}
		switch len(n.Values) {
		case 0:
		case len(lhs):
			w.value = n.Values[i]
		default:
			w.value = n.Values[0]
			w.siblings = r.others(lhs, i)
		}
		h := r.hs.of(v)
		h.writes = append(h.writes, w)
	}
}

func (r *recorder) compare(n *ast.BinaryExpr) {
	if n.Op != token.EQL && n.Op != token.NEQ {
		return
	}
	for _, pair := range [][2]ast.Expr{{n.X, n.Y}, {n.Y, n.X}} {
		if v := r.variable(pair[0]); v != nil && r.info.Types[pair[1]].IsNil() {
			h := r.hs.of(v)
			h.nilTests = append(h.nilTests, nilTest{n, r.guards[n]})
		}
	}
}

func (r *recorder) call(n *ast.CallExpr, deferred bool) {
	fun := ast.Unparen(n.Fun)
	if sel, ok := fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Wait" {
		fun = sel.X
	}
	if v := r.variable(fun); v != nil {
		h := r.hs.of(v)
		h.calls = append(h.calls, call{n, deferred})
	}
}

func (r *recorder) obscure(e ast.Expr) {
	if v := r.variable(e); v != nil {
		r.hs.of(v).opaque = true
	}
}

func (r *recorder) others(lhs []ast.Expr, except int) []*types.Var {
	var vs []*types.Var
	for i, e := range lhs {
		if v := r.variable(e); v != nil && i != except {
			vs = append(vs, v)
		}
	}
	return vs
}

// variable returns the variable that e names, or nil.
func (r *recorder) variable(e ast.Expr) *types.Var {
	return variable(r.info, e)
}

func (r *recorder) declares(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && r.info.Defs[id] != nil
}

// variable returns the variable that the expression names, or nil.
func variable(info *types.Info, e ast.Expr) *types.Var {
	if e == nil {
		return nil
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := info.ObjectOf(id).(*types.Var)
	return v
}

// isContext reports whether t is a context by its methods, so that contexts of
// a project's own type count as well.
func isContext(t types.Type) bool {
	if t == nil {
		return false
	}
	for _, name := range []string{"Deadline", "Done", "Err", "Value"} {
		obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
		if _, ok := obj.(*types.Func); !ok {
			return false
		}
	}
	return true
}
