package dialopt

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/retry"
)

// Text is a string that is put together from places in the source.
type Text struct {
	pieces []piece
	// File is the name of the embedded file that is the text, if it is one.
	File string
}

// piece is a part of a text with the expression that it comes from.
type piece struct {
	text string
	from ast.Expr // its place, if the text itself does not stand in the source
	lit  *literal // nil unless it stands there
	off  int      // of the text in the value of the literal
	hole hole
}

// hole says that the text of a piece only stands for what is not known.
type hole uint8

const (
	noHole     hole = iota
	numberHole      // a number
	stringHole      // part of a string
	quotedHole      // a string with its quotes
)

// literal is a string literal, with the place of every byte of its value.
type literal struct {
	node  *ast.BasicLit
	value string
	at    []int // offset in the source of each byte of the value, and of the end
}

func plain(text string, from ast.Expr) Text { return Text{pieces: []piece{{text: text, from: from}}} }

// String is the text.
func (t Text) String() string {
	var b strings.Builder
	for _, p := range t.pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

// Partial reports whether a part of the text is not known.
func (t Text) Partial() bool {
	return slices.ContainsFunc(t.pieces, func(p piece) bool { return p.hole != noHole })
}

// covers reports whether a part that is not known lies between two bytes.
func (t Text) covers(start, end int) bool {
	at := 0
	for _, p := range t.pieces {
		if p.hole != noHole && at < end && start < at+len(p.text) {
			return true
		}
		at += len(p.text)
	}
	return false
}

// sound reports whether what is not known cannot be more than a value: what
// stands for a string has quotes around it. A whole part of the JSON may be
// anything.
func (t Text) sound() bool {
	inString := false
	for _, p := range t.pieces {
		if p.hole == stringHole && !inString || p.hole == quotedHole && inString {
			return false
		}
		for i := 0; i < len(p.text); i++ {
			switch {
			case inString && p.text[i] == '\\':
				i++
			case p.text[i] == '"':
				inString = !inString
			}
		}
	}
	return true
}

func (t Text) plus(u Text) Text {
	return Text{pieces: append(t.pieces[:len(t.pieces):len(t.pieces)], u.pieces...)}
}

// cut is the part of the text from start up to end. It is part of one piece.
func (p piece) cut(start, end int) piece {
	p.text, p.off = p.text[start:end], p.off+start
	return p
}

// newLiteral maps a literal. ok is false if its source is not known exactly,
// as with a raw literal in a file with carriage returns, which are no part of
// its value.
func newLiteral(n *ast.BasicLit) (lit *literal, ok bool) {
	value, err := strconv.Unquote(n.Value)
	if err != nil {
		return nil, false
	}
	lit = &literal{node: n, value: value}
	if int(n.End()-n.Pos()) != len(n.Value) {
		return lit, false
	}
	src := n.Value[1 : len(n.Value)-1]
	if n.Value[0] == '`' {
		for i := range len(value) + 1 {
			lit.at = append(lit.at, i+1)
		}
		return lit, len(src) == len(value)
	}
	for rest := src; rest != ""; {
		char, multibyte, tail, err := strconv.UnquoteChar(rest, '"')
		if err != nil {
			return lit, false
		}
		size := 1
		if multibyte {
			size = utf8.RuneLen(char)
		}
		for range size {
			lit.at = append(lit.at, 1+len(src)-len(rest))
		}
		rest = tail
	}
	lit.at = append(lit.at, 1+len(src))
	return lit, len(lit.at) == len(value)+1
}

// escape writes text as the literal would have it. ok is false if it cannot.
func (l *literal) escape(text string) (src string, ok bool) {
	if l.node.Value[0] == '`' {
		return text, !strings.ContainsAny(text, "`\r")
	}
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1], true
}

// Range is the place in the source of the bytes from start up to end, or the
// expression that they come from.
func (t Text) Range(start, end int) (pos, stop token.Pos) {
	i, off := t.find(start)
	p := t.pieces[i]
	if p.lit == nil || p.lit.at == nil {
		return p.from.Pos(), p.from.End()
	}
	last := min(max(end-start+off, off), len(p.text))
	base := p.lit.node.Pos()
	return base + token.Pos(p.lit.at[p.off+off]), base + token.Pos(p.lit.at[p.off+last])
}

// find is the piece that has the byte, and the byte's offset in it.
func (t Text) find(at int) (index, off int) {
	for i, p := range t.pieces {
		if at < len(p.text) || i == len(t.pieces)-1 {
			return i, min(at, len(p.text))
		}
		at -= len(p.text)
	}
	return 0, 0
}

// Edits turns edits of the text into edits of the source. ok is false if one
// of them does not lie in one literal.
func (t Text) Edits(edits []retry.Edit) (out []analysis.TextEdit, ok bool) {
	for _, e := range edits {
		i, off := t.find(e.Start)
		p := t.pieces[i]
		end := off + e.End - e.Start
		if p.lit == nil || p.lit.at == nil || end > len(p.text) || !p.whole(off) || !p.whole(end) {
			return nil, false
		}
		if strings.Contains(e.New, "%") { // the literal may be a format
			return nil, false
		}
		src, ok := p.lit.escape(e.New)
		if !ok {
			return nil, false
		}
		pos, stop := t.Range(e.Start, e.End)
		out = append(out, analysis.TextEdit{Pos: pos, End: stop, NewText: []byte(src)})
	}
	return out, out != nil
}

// whole reports whether an offset is not in the middle of a character.
func (p piece) whole(off int) bool { return off == len(p.text) || utf8.RuneStart(p.text[off]) }

// Place is where a byte of an embedded file is, as file:line:column.
func (t Text) Place(at int) string {
	before := t.String()[:at]
	line := strings.Count(before, "\n")
	return fmt.Sprintf("%s:%d:%d", t.File, line+1, at-strings.LastIndexByte(before, '\n'))
}
