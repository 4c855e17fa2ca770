package finding

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

const directives = `package p

func trailing() {
	work() //ctxprop:allow CTX101 reason
	work()
}

func standing() {
	//ctxprop:allow CTX101 reason,
	// which goes on here
	work()
	work()
}

// whole has a reason for all of it.
//
//ctxprop:allow CTX102 reason
func whole() {
	work()
}

func malformed() {
	work() //ctxprop:allow CTX999 reason
	work() //ctxprop:allow CTX101
	work() // ctxprop:allow CTX101 an ordinary comment
}

func work() {}
`

func parseDirectives(t *testing.T) (*Directives, func(line int) token.Pos) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", directives, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return ParseDirectives(fset, []*ast.File{f}), fset.File(f.Pos()).LineStart
}

func TestAllowed(t *testing.T) {
	d, pos := parseDirectives(t)
	for _, test := range []struct {
		line int
		code Code
		want bool
	}{
		{4, FreshContext, true},
		{5, FreshContext, false},
		{4, SeveredCallee, false},
		{11, FreshContext, true},
		{12, FreshContext, false},
		{19, SeveredCallee, true},
		{25, FreshContext, false},
	} {
		if got := d.Allowed(pos(test.line), test.code); got != test.want {
			t.Errorf("line %d, %s: allowed = %v, want %v", test.line, test.code, got, test.want)
		}
	}
	if d.Allowed(token.NoPos, FreshContext) {
		t.Error("allowed without a position")
	}
}

func TestProblems(t *testing.T) {
	d, pos := parseDirectives(t)
	malformed := []string{`names no known code but "CTX999"`, "gives no reason"}
	unused := "suppresses nothing here"
	check := func(program bool, want ...string) {
		t.Helper()
		got := d.Problems("ctxbackground", program)
		if len(got) != len(want) {
			t.Fatalf("%d problems %v, want %d", len(got), got, len(want))
		}
		for i, w := range want {
			if !strings.Contains(got[i].Message, w) {
				t.Errorf("problem %q, want %q", got[i].Message, w)
			}
		}
	}
	check(false, append(malformed, unused, unused)...)
	check(true, append(malformed, unused, unused, unused)...)
	d.Allowed(pos(4), FreshContext)
	d.Allowed(pos(19), SeveredCallee)
	check(true, append(malformed, unused)...)
	if got := d.Problems("another", true); len(got) != 0 {
		t.Errorf("problems of another analyzer: %v", got)
	}
}

func TestDeclarations(t *testing.T) {
	const source = `package p

// Publish waits.
//
//ctxprop:block class=queue // a reason
func Publish() {
	work() //ctxprop:wait class=rpc
}

type bus interface {
	//ctxprop:quiet
	Note()
	Merge() //ctxprop:expensive
}
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	d := ParseDirectives(fset, []*ast.File{f})
	var got []string
	for _, decl := range d.Declarations() {
		name := "nothing"
		if decl.Decl != nil {
			name = decl.Decl.Name
		}
		got = append(got, fmt.Sprintf("%s %q at %s", decl.Verb, decl.Attributes, name))
	}
	want := []string{`block "class=queue" at Publish`, `wait "class=rpc" at nothing`, `quiet "" at Note`, `expensive "" at Merge`}
	if !slices.Equal(got, want) {
		t.Errorf("declarations %q, want %q", got, want)
	}
	d.Refuse(d.Declarations()[1], "it declares nothing here")
	if ps := d.Problems("ctxbackground", true); len(ps) != 1 || ps[0].Pos != d.Declarations()[1].Pos {
		t.Errorf("problems %v, want the refused declaration", ps)
	}
}
