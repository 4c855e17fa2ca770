package fix

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"go/version"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// This file builds waits between the attempts of a retry.

// The waits that [Builder.PauseBetween] writes: up to a tenth of a second
// before the first retry, as gRFC A6 has it in its example, and up to twice as
// much each time, but no more than 1.6 seconds, for somebody waits. Which are
// right the called service's owner knows.
const (
	pauseBase    = "50 * %s.Millisecond"
	pauseDoubles = 5
)

// PauseBetween returns the fix by which a loop, whose for is at the position,
// waits before every attempt but the first: longer each time, with jitter, and
// no longer than the context at hand lives.
//
//	for n := range 5 {
//		if n > 0 {
//			select {
//			case <-time.After(rand.N(50 * time.Millisecond << min(n, 5))):
//			case <-ctx.Done():
//				return ctx.Err()
//			}
//		}
//
// The error says why there is no safe fix. The caller vouches that the loop
// comes round only when an attempt has failed.
func (b *Builder) PauseBetween(pos token.Pos, use Expr, asStatus bool) (analysis.SuggestedFix, error) {
	none := analysis.SuggestedFix{}
	body := b.loopAt(pos)
	if body == nil {
		return none, errors.New("there is no loop")
	}
	p, err := b.locateNode(body)
	if err != nil {
		return none, err
	}
	if b.pass.Fset.PositionFor(body.Lbrace, false).Line == b.pass.Fset.PositionFor(body.Rbrace, false).Line {
		return none, errors.New("the loop is on one line")
	}
	if err := b.mayUse(p, use); err != nil {
		return none, err
	}
	c, err := b.counterOf(p)
	if err != nil {
		return none, err
	}
	if _, min := b.pass.Pkg.Scope().Innermost(body.Pos()).LookupParent("min", token.NoPos); min != types.Universe.Lookup("min") {
		return none, errors.New("min means something else here")
	}
	timePkg, err := b.packageName(p.file, body, "time")
	if err != nil {
		return none, err
	}
	wait, imports, err := b.random(p.file, body, fmt.Sprintf(pauseBase, timePkg)+fmt.Sprintf(" << min(%s, %d)", c.rounds, pauseDoubles))
	if err != nil {
		return none, err
	}
	leave, err := b.leave(p, b.ended(p, use.String(), asStatus))
	if err != nil {
		return none, err
	}
	lines := []string{
		"",
		fmt.Sprintf("if %s > %d {", c.name, c.first),
		"\tselect {",
		fmt.Sprintf("\tcase <-%s.After(%s):", timePkg, wait),
		fmt.Sprintf("\tcase <-%s.Done():", use),
		"\t\t" + leave,
		"\t}",
		"}",
	}
	edits := c.edits
	for _, pkg := range append(imports, "time") {
		if edit := b.planFor(p.file).addImport(pkg); edit != nil {
			edits = append(edits, *edit)
		}
	}
	at := b.headOf(p.file, body)
	edits = append(edits, analysis.TextEdit{Pos: at, End: at, NewText: []byte(strings.Join(lines, "\n"+b.indent(pos)+"\t"))})
	return analysis.SuggestedFix{Message: "Wait between the attempts, longer each time, with jitter", TextEdits: edits}, nil
}

// counter is what counts the rounds of a loop.
type counter struct {
	name   string
	first  int64  // its value in the first round
	rounds string // the expression for the number of rounds that are over
	edits  []analysis.TextEdit
}

// counterOf finds the counter of the loop around the place, or gives it one.
func (b *Builder) counterOf(p *place) (counter, error) {
	switch loop := p.path[1].(type) {
	case *ast.RangeStmt:
		t, ok := b.pass.TypesInfo.TypeOf(loop.X).Underlying().(*types.Basic)
		if !ok || t.Info()&types.IsInteger == 0 || loop.Value != nil {
			return counter{}, errors.New("the loop is not over a number")
		}
		key, ok := loop.Key.(*ast.Ident)
		if ok && key.Name != "_" {
			return b.unchanged(p, key, counter{name: key.Name, rounds: key.Name})
		}
		name, err := freshName(p.decl, nil, "n", "attempt", "try")
		if err != nil {
			return counter{}, err
		}
		edit := analysis.TextEdit{Pos: loop.Range, End: loop.Range, NewText: []byte(name + " := ")}
		if ok {
			edit = analysis.TextEdit{Pos: key.Pos(), End: loop.Range, NewText: edit.NewText}
		}
		return counter{name: name, rounds: name, edits: []analysis.TextEdit{edit}}, nil
	case *ast.ForStmt:
		init, ok := loop.Init.(*ast.AssignStmt)
		if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 {
			break
		}
		key, ok := init.Lhs[0].(*ast.Ident)
		inc, isInc := loop.Post.(*ast.IncDecStmt)
		first := b.pass.TypesInfo.Types[init.Rhs[0]].Value
		if !ok || !isInc || inc.Tok != token.INC || variable(b.pass.TypesInfo, inc.X) != variable(b.pass.TypesInfo, key) || first == nil || first.Kind() != constant.Int {
			break
		}
		n, exact := constant.Int64Val(first)
		t, ok := b.pass.TypesInfo.TypeOf(key).Underlying().(*types.Basic)
		if !exact || n < 0 || !ok || t.Info()&types.IsInteger == 0 {
			break
		}
		c := counter{name: key.Name, first: n, rounds: key.Name}
		if n > 0 {
			c.rounds = fmt.Sprintf("%s-%d", key.Name, n)
		}
		return b.unchanged(p, key, c)
	}
	return counter{}, errors.New("nothing counts the rounds of the loop")
}

// unchanged returns an error if the loop's body may write to the counter.
func (b *Builder) unchanged(p *place, key *ast.Ident, c counter) (counter, error) {
	v := variable(b.pass.TypesInfo, key)
	changed := false
	ast.Inspect(p.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				changed = changed || variable(b.pass.TypesInfo, lhs) == v
			}
		case *ast.IncDecStmt:
			changed = changed || variable(b.pass.TypesInfo, n.X) == v
		case *ast.UnaryExpr:
			changed = changed || n.Op == token.AND && variable(b.pass.TypesInfo, n.X) == v
		}
		return !changed
	})
	if v == nil || changed {
		return c, fmt.Errorf("%s does not count the rounds alone", key.Name)
	}
	return c, nil
}

// Vary returns the fix by which a wait of constant length, the argument of
// time.After and the like, gets a random part: the mean stays what it was.
func (b *Builder) Vary(call *ast.CallExpr) (analysis.SuggestedFix, error) {
	none := analysis.SuggestedFix{}
	p, err := b.locate(call)
	if err != nil {
		return none, err
	}
	if len(call.Args) != 1 || !b.isDuration(call.Args[0]) {
		return none, errors.New("the wait is not written as a duration")
	}
	d, err := b.text(p.file, call.Args[0])
	if err != nil {
		return none, err
	}
	random, imports, err := b.random(p.file, call, d)
	if err != nil {
		return none, err
	}
	half := d
	if sum, ok := call.Args[0].(*ast.BinaryExpr); ok && sum.Op.Precedence() < token.QUO.Precedence() {
		half = "(" + d + ")"
	}
	var edits []analysis.TextEdit
	for _, pkg := range imports {
		if edit := b.planFor(p.file).addImport(pkg); edit != nil {
			edits = append(edits, *edit)
		}
	}
	edits = append(edits, analysis.TextEdit{Pos: call.Args[0].Pos(), End: call.Args[0].End(), NewText: []byte(half + "/2 + " + random)})
	return analysis.SuggestedFix{Message: "Let the wait vary by half", TextEdits: edits}, nil
}

// isDuration reports whether an expression is a duration by what it is made
// of, and not only because a call wants one.
func (b *Builder) isDuration(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if obj := b.pass.TypesInfo.Uses[id]; ok && obj != nil && types.TypeString(obj.Type(), nil) == "time.Duration" {
			found = true
		}
		return !found
	})
	return found
}

// random is the expression for an even random part of a positive duration,
// and what it needs to be imported.
func (b *Builder) random(file *ast.File, at ast.Node, d string) (expr string, imports []string, err error) {
	if v := b.pass.TypesInfo.FileVersions[file]; v != "" && version.Compare(v, "go1.22") < 0 {
		return "", nil, errors.New("math/rand/v2 needs Go 1.22")
	}
	name, err := b.packageName(file, at, "math/rand/v2")
	return fmt.Sprintf("%s.N(%s)", name, d), []string{"math/rand/v2"}, err
}
