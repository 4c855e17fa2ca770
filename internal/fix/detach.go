package fix

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/types/typeutil"
)

// detachedLimit is the deadline that [Builder.BoundDetached] writes. Any finite
// one keeps abandoned work from piling up; a minute is well above what a
// request waits for and is meant to be replaced by what the work needs.
const detachedLimit = "Minute"

// BoundDetached returns the fix for a go statement that starts work on a
// detached context without a deadline: the work gets one, and keeps the values
// of the context at hand. root is the call that makes or detaches the context;
// one that takes no context is replaced.
//
//	go func() {
//		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
//		defer cancel()
//		…
//	}()
//
// The error says why there is no safe fix. The caller vouches that the work is
// not a worker with the life of the process, and that to end it half-way is safe.
func (b *Builder) BoundDetached(goPos token.Pos, root *ast.CallExpr, use Expr) (analysis.SuggestedFix, error) {
	p, err := b.locate(root)
	if err != nil {
		return analysis.SuggestedFix{}, err
	}
	d := &detachment{b: b, info: b.pass.TypesInfo, root: p, use: use}
	if d.stmt = goAt(p.file, goPos); d.stmt == nil {
		return analysis.SuggestedFix{}, errors.New("there is no go statement in the file of the root")
	}
	if err := cmp.Or(d.prepare(), d.edit()); err != nil {
		return analysis.SuggestedFix{}, err
	}
	slices.SortStableFunc(d.edits, func(x, y analysis.TextEdit) int { return cmp.Compare(x.Pos, y.Pos) })
	return analysis.SuggestedFix{Message: "Bound the detached work by a deadline", TextEdits: d.edits}, nil
}

// detachment is one such fix in the making.
type detachment struct {
	b     *Builder
	info  *types.Info
	root  *place
	use   Expr
	stmt  *ast.GoStmt
	edits []analysis.TextEdit

	ctxPkg, timePkg string // the names of the packages in the file
	parent          string // the expression that the deadline is put on
	kept            *types.Var
}

func goAt(file *ast.File, pos token.Pos) *ast.GoStmt {
	path, _ := astutil.PathEnclosingInterval(file, pos, pos)
	for _, n := range path {
		if g, ok := n.(*ast.GoStmt); ok && g.Go == pos {
			return g
		}
	}
	return nil
}

// prepare finds the names that the new code uses, and how it spells the
// detached context.
func (d *detachment) prepare() error {
	if d.root.commented(d.root.call.Pos(), d.root.call.End()) {
		return errCommented
	}
	if plan := d.b.planFor(d.root.file); plan.find(d.root.call) != nil {
		return errors.New("the root is replaced by another fix")
	}
	var err error
	if d.ctxPkg, err = d.b.packageName(d.root.file, d.stmt, "context"); err != nil {
		return err
	}
	if d.timePkg, err = d.b.packageName(d.root.file, d.stmt, "time"); err != nil {
		return err
	}
	if !isContext(d.info.TypeOf(d.root.call)) {
		return errors.New("the root is not a plain context")
	}
	d.parent = types.ExprString(d.root.call)
	if len(d.root.call.Args) > 0 {
		return d.onlyNames(d.root.call)
	}
	return d.replaceRoot()
}

// replaceRoot makes the parent of a root that takes no context: the context at
// hand, detached.
func (d *detachment) replaceRoot() error {
	if err := cmp.Or(d.use.check(d.b.pass.Pkg), d.root.isRoot(d.info)); err != nil {
		return err
	}
	if fn := typeutil.StaticCallee(d.info, d.root.call); fn.Pkg().Path() != "context" && fn.Pkg() != d.b.pass.Pkg {
		return errors.New("the import of the root may become unused")
	}
	if v := d.info.FileVersions[d.root.file]; v != "" && version.Compare(v, "go1.21") < 0 {
		return errors.New("context.WithoutCancel needs Go 1.21")
	}
	if d.use.Method != "" && !outlivesHandler(d.use.Var.Type()) {
		return fmt.Errorf("%s may not be used after the handler has returned", d.use)
	}
	l := newLineage(d.info, d.use, d.root)
	if _, err := l.resolve(d.b.pass.Pkg); err != nil {
		return err
	}
	if h := l.hs.of(d.use.Var); h.opaque || l.nilable(h) {
		return fmt.Errorf("%s may be nil, or is written where it cannot be followed", d.use.Var.Name())
	}
	d.parent = fmt.Sprintf("%s.WithoutCancel(%s)", d.ctxPkg, d.use)
	return nil
}

// outlivesHandler reports whether a provider of contexts may be asked for its
// context after the handler has returned. A framework's own type may be used
// for the next request by then.
func outlivesHandler(t types.Type) bool {
	return types.TypeString(t, nil) == "*net/http.Request"
}

// edit decides where the deadline is put.
func (d *detachment) edit() error {
	lit, _ := ast.Unparen(d.stmt.Call.Fun).(*ast.FuncLit)
	switch {
	case lit != nil && within(d.root.call, lit.Body):
		return d.insideLiteral(lit)
	case within(d.root.call, d.stmt.Call):
		if lit != nil {
			return errors.New("the root is an argument of the function literal")
		}
		return d.wrapCall()
	}
	return d.variable(lit)
}

// insideLiteral puts the deadline before the statement of a goroutine's body
// that makes the root.
func (d *detachment) insideLiteral(lit *ast.FuncLit) error {
	i := slices.IndexFunc(lit.Body.List, func(s ast.Stmt) bool { return within(d.root.call, s) })
	stmt := lit.Body.List[i]
	if as, ok := stmt.(*ast.AssignStmt); ok && as.Tok == token.DEFINE && len(as.Lhs) == 1 && ast.Unparen(as.Rhs[0]) == d.root.call {
		if name, ok := as.Lhs[0].(*ast.Ident); ok {
			cancel, err := freshName(lit.Body, d.root.call, cancelNames...)
			if err != nil {
				return err
			}
			d.replace(name.End(), name.End(), ", "+cancel)
			d.replace(d.root.call.Pos(), d.root.call.End(), d.timeout(d.parent))
			d.replace(stmt.End(), stmt.End(), d.newline(stmt.Pos(), 0)+"defer "+cancel+"()")
			d.importTime()
			return nil
		}
	}
	if nestedWork(d.root.path, lit) {
		return errors.New("the root is made in a function of its own")
	}
	name, err := freshName(lit.Body, d.root.call, contextNames...)
	if err != nil {
		return err
	}
	d.replace(d.root.call.Pos(), d.root.call.End(), name)
	return d.insertBefore(lit, stmt, name)
}

// The names for what is declared in the goroutine, in the order of preference.
var (
	contextNames = []string{"ctx", "detached"}
	cancelNames  = []string{"cancel", "stop"}
)

// nestedWork reports whether the root is inside another function literal than
// lit, which may run after lit has ended.
func nestedWork(path []ast.Node, lit *ast.FuncLit) bool {
	for _, n := range path {
		if inner, ok := n.(*ast.FuncLit); ok {
			return inner != lit
		}
	}
	return true
}

// insertBefore makes a context with a deadline of the given name before a
// statement of the goroutine.
func (d *detachment) insertBefore(lit *ast.FuncLit, stmt ast.Stmt, name string) error {
	cancel, err := freshName(lit.Body, d.root.call, cancelNames...)
	if err != nil {
		return err
	}
	line := d.newline(stmt.Pos(), 0)
	before, after := "", line
	fset := d.b.pass.Fset
	if fset.Position(lit.Body.Lbrace).Line == fset.Position(stmt.Pos()).Line {
		line = d.newline(d.stmt.Pos(), 1)
		before, after = line, line
		last := lit.Body.List[len(lit.Body.List)-1]
		d.replace(last.End(), last.End(), d.newline(d.stmt.Pos(), 0))
	}
	d.replace(stmt.Pos(), stmt.Pos(), fmt.Sprintf("%s%s, %s := %s%sdefer %s()%s", before, name, cancel, d.timeout(d.parent), line, cancel, after))
	d.importTime()
	return nil
}

// wrapCall makes a function literal of a call that is started directly.
// Operands are then evaluated in the goroutine, so they must not change.
func (d *detachment) wrapCall() error {
	call := d.stmt.Call
	var err error
	for _, e := range append([]ast.Expr{call.Fun}, call.Args...) {
		if ast.Unparen(e) != d.root.call {
			err = cmp.Or(err, d.steady(e))
		}
	}
	if err != nil {
		return err
	}
	if d.root.commented(call.Pos(), call.End()) {
		return errCommented
	}
	cancel, err := freshName(call, nil, "cancel")
	if err != nil {
		return err
	}
	name := ""
	if d.kept != nil {
		name = d.kept.Name()
	} else if name, err = freshName(call, d.root.call, contextNames...); err != nil {
		return err
	}
	in := d.newline(d.stmt.Pos(), 1)
	d.replace(call.Pos(), call.Pos(), fmt.Sprintf("func() {%[1]s%[2]s, %[3]s := %[4]s%[1]sdefer %[3]s()%[1]s", in, name, cancel, d.timeout(d.parent)))
	if d.kept == nil {
		d.replace(d.root.call.Pos(), d.root.call.End(), name)
	}
	d.replace(call.End(), call.End(), d.newline(d.stmt.Pos(), 0)+"}()")
	d.importTime()
	return nil
}

// variable handles a root that was put into a variable before the go
// statement, which nothing but the goroutine uses.
func (d *detachment) variable(lit *ast.FuncLit) error {
	as, ok := d.root.path[1].(*ast.AssignStmt)
	if !ok || as.Tok != token.DEFINE || len(as.Lhs) != 1 {
		return errors.New("the root is not the value of a variable")
	}
	v, _ := d.info.Defs[as.Lhs[0].(*ast.Ident)].(*types.Var)
	if v == nil || !d.usedOnlyIn(v, d.stmt) {
		return errors.New("the variable of the root has other uses")
	}
	if len(d.root.call.Args) == 0 {
		d.replace(d.root.call.Pos(), d.root.call.End(), d.parent)
	}
	d.parent, d.kept = v.Name(), v
	if lit == nil {
		return d.wrapCall()
	}
	if within(d.firstUse(v), lit.Body) && len(d.stmt.Call.Args) == 0 {
		return d.insertBefore(lit, lit.Body.List[0], v.Name())
	}
	return errors.New("the root is an argument of the function literal")
}

func (d *detachment) usedOnlyIn(v *types.Var, in ast.Node) bool {
	only := true
	ast.Inspect(d.root.decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && d.info.Uses[id] == v && !within(id, in) {
			only = false
		}
		return only
	})
	return only
}

func (d *detachment) firstUse(v *types.Var) ast.Node {
	var first ast.Node = d.stmt
	ast.Inspect(d.stmt, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && d.info.Uses[id] == v && first == ast.Node(d.stmt) {
			first = id
		}
		return true
	})
	return first
}

// steady returns an error unless an operand has the same value whenever it is
// evaluated: a constant, a variable that is written once, a field of one.
func (d *detachment) steady(e ast.Expr) error {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return nil
	case *ast.SelectorExpr:
		if isPackage(d.info, e.X) {
			return nil
		}
		return d.steady(e.X)
	case *ast.Ident:
		v, ok := d.info.Uses[e].(*types.Var)
		if !ok {
			return nil // a constant, a function, nil
		}
		h := record(d.info, d.root.decl).of(v)
		writes := len(h.writes)
		if h.param {
			writes++
		}
		if !h.opaque && writes <= 1 {
			return nil
		}
	}
	return fmt.Errorf("%s would be evaluated later", types.ExprString(e))
}

// onlyNames returns an error unless a detaching call can be evaluated in the
// goroutine: it has variables and r.Context() for arguments, nothing that acts.
func (d *detachment) onlyNames(call *ast.CallExpr) error {
	for _, arg := range call.Args {
		if inner, ok := ast.Unparen(arg).(*ast.CallExpr); ok && len(inner.Args) == 0 {
			arg = inner.Fun
		}
		if err := d.steady(arg); err != nil {
			return err
		}
	}
	return nil
}

// newline begins a line that is indented like that of pos, and deeper.
func (d *detachment) newline(pos token.Pos, deeper int) string {
	return "\n" + d.b.indent(pos) + strings.Repeat("\t", deeper)
}

func (d *detachment) timeout(parent string) string {
	return fmt.Sprintf("%s.WithTimeout(%s, %s.%s)", d.ctxPkg, parent, d.timePkg, detachedLimit)
}

func (d *detachment) replace(pos, end token.Pos, text string) {
	d.edits = append(d.edits, analysis.TextEdit{Pos: pos, End: end, NewText: []byte(text)})
}

func (d *detachment) importTime() {
	if edit := d.b.planFor(d.root.file).addImport("time"); edit != nil {
		d.edits = append(d.edits, *edit)
	}
}
