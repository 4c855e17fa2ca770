package fix

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
)

// selfAssign handles the call that is assigned to the very name that would
// replace it, so that the result would read ctx = ctx or ctx := ctx. It returns
// the range of the statement to remove, or no range if the case does not arise.
func (b *Builder) selfAssign(p *place, l *lineage, target *types.Var) (edit span, err error) {
	if l.use.Method != "" {
		return span{}, nil
	}
	lhs, alone := assignee(p)
	if lhs == nil || lhs.Name != target.Name() {
		return span{}, nil
	}
	if !alone {
		return span{}, fmt.Errorf("%s would be assigned to itself", lhs.Name)
	}
	if v, ok := b.pass.TypesInfo.Defs[lhs].(*types.Var); ok {
		if err := givesWay(l, v, target); err != nil {
			return span{}, err
		}
	}
	stmt, list := p.statement()
	if list == nil {
		return span{}, errors.New("the statement is part of another one")
	}
	if len(list) == 1 {
		// The fresh context is all that the branch is for; whether the
		// branch can go as well is not for an edit to decide.
		return span{}, errors.New("the block would be empty")
	}
	edit = b.cut(p.file, stmt, list)
	if p.commented(edit.pos, edit.end) {
		return span{}, errCommented
	}
	return edit, nil
}

// assignee returns the identifier that the value of the call is assigned to,
// and whether the statement does nothing else.
func assignee(p *place) (lhs *ast.Ident, alone bool) {
	parent, i := p.parent()
	value, _ := p.path[i-1].(ast.Expr)
	switch n := parent.(type) {
	case *ast.AssignStmt:
		for j, rhs := range n.Rhs {
			if rhs == value && len(n.Lhs) == len(n.Rhs) {
				id, _ := ast.Unparen(n.Lhs[j]).(*ast.Ident)
				return id, len(n.Lhs) == 1
			}
		}
	case *ast.ValueSpec:
		for j, v := range n.Values {
			if v == value && len(n.Names) == len(n.Values) {
				decl, _ := p.path[i+1].(*ast.GenDecl)
				return n.Names[j], len(n.Names) == 1 && decl != nil && len(decl.Specs) == 1
			}
		}
	}
	return nil, false
}

// givesWay returns an error unless every use of v may as well use the target.
// The target is what the name means where v is declared, so it is also what all
// uses of v mean once v is gone; but what is written to v would reach beyond
// the scope of v then, and an operation may rest on the type of v.
func givesWay(l *lineage, v, target *types.Var) error {
	h := l.hs.of(v)
	if h.opaque || len(h.writes) != 1 {
		return fmt.Errorf("the inner %s is assigned again", v.Name())
	}
	if !types.Identical(v.Type(), target.Type()) {
		return fmt.Errorf("the inner %s has another type", v.Name())
	}
	return nil
}

// statement returns the statement that the call is assigned in and the list it
// is an element of, which is nil if it is the head of another statement.
func (p *place) statement() (ast.Stmt, []ast.Stmt) {
	for i, n := range p.path {
		stmt, ok := n.(ast.Stmt)
		if !ok {
			continue
		}
		var list []ast.Stmt
		switch n := p.path[i+1].(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			if n.Comm != stmt {
				list = n.Body
			}
		}
		return stmt, list
	}
	return nil, nil
}

// cut returns what to delete so that stmt is gone from the list: its lines if
// it has them to itself, else as much as leaves the rest of the line in order.
func (b *Builder) cut(file *ast.File, stmt ast.Stmt, list []ast.Stmt) span {
	s := span{stmt.Pos(), stmt.End()}
	lines := newLines(b.pass.Fset, file)
	if whole, ok := lines.whole(s); ok {
		return whole
	}
	for i, other := range list {
		if other == stmt {
			if i+1 < len(list) && lines.of(list[i+1].Pos()) == lines.of(stmt.End()) {
				return span{stmt.Pos(), list[i+1].Pos()}
			}
			if i > 0 && lines.of(list[i-1].End()) == lines.of(stmt.Pos()) {
				return span{list[i-1].End(), stmt.End()}
			}
		}
	}
	return s
}
