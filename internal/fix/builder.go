package fix

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"

	"golang.org/x/tools/go/analysis"
)

// Builder builds the fixes of one package together, because an import may lose
// its last use through several of them. First all replacements are announced
// with [Builder.ReplaceRoot], then each is asked for its fix.
//
// Announce only what will be reported: a replacement whose fix is never offered
// may still be carried out by the fixes that are linked to it.
type Builder struct {
	pass   *analysis.Pass
	plans  map[*ast.File]*plan
	sealed bool
}

// NewBuilder returns a Builder for the package of the pass. It reads syntax and
// types only.
func NewBuilder(pass *analysis.Pass) *Builder {
	return &Builder{pass: pass, plans: make(map[*ast.File]*plan)}
}

// Replacement is an edit that has been found safe.
type Replacement struct {
	b    *Builder
	plan *plan
	call *ast.CallExpr
	use  Expr
	span span
	text string // empty if a statement is removed
}

// plan is what is going to happen to a file.
type plan struct {
	replacements []*Replacement
	imports      []*importSpec
	lines        lines
}

var (
	errCommented = errors.New("a comment is in the way")
	errSealed    = errors.New("the fixes of the package are already built")
)

// ReplaceRoot announces that the call, which makes a root context, is to be
// replaced by the context at hand. If use.Var is shadowed at the call by a
// variable that derives from it, that one is meant.
//
// The error says why there is no safe fix; it is no failure of the analysis.
//
// The caller vouches that use is the right context for all work that the value
// of the call reaches, that the work does not outlive it, and that use.Var is
// that context from its declaration on. ReplaceRoot looks after what syntax
// shows: the name, its scope, later assignments, tests for nil, a cancel
// function that is called or a group that is waited for before, defer.
func (b *Builder) ReplaceRoot(call *ast.CallExpr, use Expr) (*Replacement, error) {
	if b.sealed {
		return nil, errSealed
	}
	p, err := b.locate(call)
	if err != nil {
		return nil, err
	}
	plan := b.planFor(p.file)
	if same := plan.find(call); same != nil {
		if same.use != use {
			return nil, fmt.Errorf("the call is already to become %s", same.use)
		}
		return same, nil
	}
	edit, err := b.edit(p, use)
	if err != nil {
		return nil, err
	}
	if err := plan.canDropImports(edit); err != nil {
		return nil, err
	}
	r := &Replacement{b: b, plan: plan, call: call, use: use, span: edit, text: use.String()}
	if edit != (span{call.Pos(), call.End()}) {
		r.text = ""
	}
	plan.replacements = append(plan.replacements, r)
	return r, nil
}

func (b *Builder) planFor(file *ast.File) *plan {
	if b.plans[file] == nil {
		b.plans[file] = &plan{
			imports: importsOf(b.pass.TypesInfo, file),
			lines:   newLines(b.pass.Fset, file),
		}
	}
	return b.plans[file]
}

// find returns the replacement of the same call: two findings may share one
// root context.
func (p *plan) find(call *ast.CallExpr) *Replacement {
	for _, r := range p.replacements {
		if r.call == call {
			return r
		}
	}
	return nil
}

// edit decides whether the replacement is safe, and returns what it replaces:
// the call, or a whole statement that is to be removed.
func (b *Builder) edit(p *place, use Expr) (span, error) {
	info := b.pass.TypesInfo
	if err := cmp.Or(use.check(b.pass.Pkg), p.isRoot(info), p.isOperand()); err != nil {
		return span{}, err
	}
	if p.commented(p.call.Pos(), p.call.End()) {
		return span{}, errCommented
	}
	if err := p.fits(info, use.typ(b.pass.Pkg)); err != nil {
		return span{}, err
	}
	l := newLineage(info, use, p)
	target, err := l.resolve(b.pass.Pkg)
	if err != nil {
		return span{}, err
	}
	if err := cmp.Or(l.trust(use.Var), l.trust(target)); err != nil {
		return span{}, err
	}
	removed, err := b.selfAssign(p, l, target)
	if err != nil {
		return span{}, err
	}
	if !removed.empty() {
		return removed, nil
	}
	return span{p.call.Pos(), p.call.End()}, nil
}
