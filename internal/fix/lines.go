package fix

import (
	"go/ast"
	"go/token"
)

// span is a range of the source.
type span struct{ pos, end token.Pos }

func (s span) empty() bool { return s.pos == s.end }

func (s span) contains(n ast.Node) bool { return s.pos <= n.Pos() && n.End() <= s.end }

// lines answers questions about the layout of a file from positions alone,
// since some drivers cannot read the source.
type lines struct {
	file *ast.File
	tok  *token.File
}

func newLines(fset *token.FileSet, file *ast.File) lines {
	return lines{file, fset.File(file.FileStart)}
}

// of returns the line of a position, whatever line directives say.
func (l lines) of(pos token.Pos) int { return l.tok.PositionFor(pos, false).Line }

// whole widens the range to its lines, with their line breaks, if there is
// nothing else on them. A blank line after them goes too if it would meet
// another one or the start of a block.
func (l lines) whole(s span) (span, bool) {
	if l.shared(s) || l.commented(s) {
		return span{}, false
	}
	return l.widen(s), true
}

// widen is whole without looking for neighbours.
func (l lines) widen(s span) span {
	first, last := l.of(s.pos), l.of(s.end)
	if l.blank(last+1) && (l.blank(first-1) || l.opens(first-1)) {
		last++
	}
	return span{l.tok.LineStart(first), l.after(last)}
}

// after returns where the line after n starts, or the end of the file.
func (l lines) after(n int) token.Pos {
	if n+1 > l.tok.LineCount() {
		return l.file.FileEnd
	}
	return l.tok.LineStart(n + 1)
}

func (l lines) blank(n int) bool {
	return n >= 1 && n < l.tok.LineCount() && l.after(n)-l.tok.LineStart(n) == 1
}

// shared reports whether a node outside the range begins or ends on a line of
// the range. Tokens that are no node's first or last, such as the colon of a
// case, follow one that is, or gofmt would have put them elsewhere.
func (l lines) shared(s span) bool {
	first, last := l.of(s.pos), l.of(s.end)
	on := func(pos token.Pos) bool { n := l.of(pos); return first <= n && n <= last }
	found := false
	ast.Inspect(l.file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.File, *ast.Comment, *ast.CommentGroup:
			return !found
		}
		if !s.contains(n) && (on(n.Pos()) || on(n.End())) {
			found = true
		}
		return !found
	})
	return found
}

// commented reports whether a comment is on a line of the range.
func (l lines) commented(s span) bool {
	first, last := l.of(s.pos), l.of(s.end)
	for _, c := range l.file.Comments {
		if l.of(c.Pos()) <= last && first <= l.of(c.End()) {
			return true
		}
	}
	return false
}

// opens reports whether a block or a parenthesis opens at the end of line n.
func (l lines) opens(n int) bool {
	found := false
	ast.Inspect(l.file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.BlockStmt:
			found = found || l.of(node.Lbrace) == n
		case *ast.GenDecl:
			found = found || node.Lparen.IsValid() && l.of(node.Lparen) == n
		}
		return !found
	})
	return found
}
