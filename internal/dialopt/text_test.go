package dialopt

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/retry"
)

// textOf parses a file whose first string literals, in order, are the text.
func textOf(t *testing.T, src string) (Text, *token.File) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var text Text
	ast.Inspect(file, func(n ast.Node) bool {
		if n, ok := n.(*ast.BasicLit); ok {
			lit, exact := newLiteral(n)
			p := piece{text: lit.value, from: n}
			if exact {
				p.lit = lit
			}
			text.pieces = append(text.pieces, p)
		}
		return true
	})
	return text, fset.File(file.FileStart)
}

// TestEdits replaces a part of a text and looks at what that does to the
// source: the value must be the same as if the text itself had been edited.
func TestEdits(t *testing.T) {
	for _, test := range []struct {
		name, src, old, new, want string
	}{
		{"raw", "package p; var x = `{\"a\": 1}`", `"a"`, `"b"`, "package p; var x = `{\"b\": 1}`"},
		{"raw, several lines", "package p; var x = `{\n\"a\": 1}`", `1`, `2`, "package p; var x = `{\n\"a\": 2}`"},
		{"interpreted", `package p; var x = "{\"a\": 1}"`, `"a"`, `"b"`, `package p; var x = "{\"b\": 1}"`},
		{"after escapes", `package p; var x = "\t\x41\u00e9é\101{\"a\": 1}"`, `1`, `22`, `package p; var x = "\t\x41\u00e9é\101{\"a\": 22}"`},
		{"to the end", `package p; var x = "é"`, `é`, `"`, `package p; var x = "\""`},
		{"second of two", "package p; var x = \"{\" + `\"a\": 1}`", `1}`, `2}`, "package p; var x = \"{\" + `\"a\": 2}`"},
		{"across two", `package p; var x = "ab" + "cd"`, `bc`, `x`, ""},
		{"backquote into raw", "package p; var x = `a`", "a", "`", ""},
		{"half a character", `package p; var x = "é"`, "\xa9", "x", ""},
		{"carriage returns", "package p; var x = `{\r\n\"a\": 1}`", `1`, `2`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, file := textOf(t, test.src)
			at := strings.Index(text.String(), test.old)
			edits, ok := text.Edits([]retry.Edit{{Start: at, End: at + len(test.old), New: test.new}})
			if ok != (test.want != "") {
				t.Fatalf("possible: %v", ok)
			}
			if !ok {
				return
			}
			got := test.src[:file.Offset(edits[0].Pos)] + string(edits[0].NewText) + test.src[file.Offset(edits[0].End):]
			if got != test.want {
				t.Fatalf("got %s\nwant %s", got, test.want)
			}
			after, _ := textOf(t, got)
			if want := strings.Replace(text.String(), test.old, test.new, 1); after.String() != want {
				t.Errorf("the text is now %q, want %q", after, want)
			}
		})
	}
}

// TestRange: a place in a raw literal of several lines, and the whole
// expression where the place is not known.
func TestRange(t *testing.T) {
	for _, test := range []struct{ name, src, part, want string }{
		{"raw", "package p; var x = `{\n\n  \"a\": 1}`", `"a"`, `"a"`},
		{"interpreted", `package p; var x = "{\n\"a\": 1}"`, `"a"`, `\"a\"`},
		{"over two literals", `package p; var x = "ab" + "cd"`, "bc", "b"},
		{"carriage returns", "package p; var x = `{\r\n\"a\": 1}`", `1`, "`{\r\n\"a\": 1}`"},
	} {
		text, file := textOf(t, test.src)
		at := strings.Index(text.String(), test.part)
		pos, end := text.Range(at, at+len(test.part))
		if got := test.src[file.Offset(pos):file.Offset(end)]; got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestPlace(t *testing.T) {
	text := Text{pieces: []piece{{text: "{\n  \"a\": 1}"}}, File: "x.json"}
	for at, want := range map[int]string{0: "x.json:1:1", 4: "x.json:2:3"} {
		if got := text.Place(at); got != want {
			t.Errorf("%d is at %s, want %s", at, got, want)
		}
	}
}
