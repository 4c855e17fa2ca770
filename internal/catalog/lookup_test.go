package catalog

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// check type-checks one file of a package that may import the standard library.
func check(t testing.TB, path, src string) (*types.Package, *types.Info) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "src.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := conf.Check(path, fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	return pkg, info
}

// library is a package of every form of function that a symbol can name.
const library = `package lib
import "context"

func Plain(ctx context.Context) {}
func Bare() {}
func Generic[T any](ctx context.Context, v T) {}

type Conn struct{}
func (*Conn) Pointer(ctx context.Context) {}
func (Conn) Value(ctx context.Context) {}
func (Conn) NoContext() {}

type List[T any] struct{}
func (*List[T]) Push(ctx context.Context, v T) {}

type Getter interface{ Get(ctx context.Context) }
type Commands interface { Getter; Set(ctx context.Context) }
type Queue interface { Commands; Exec(ctx context.Context) }

type Wrapper struct{ Conn }
type Alias = Conn

func use(l *List[int], q Queue, w Wrapper) {
	Generic[string](nil, "")
	l.Push(nil, 1)
	q.Get(nil)
	w.Value(nil)
}
`

func TestFuncFindsTheMostPreciseLine(t *testing.T) {
	pkg, _ := check(t, "example.com/a/lib", library)
	const (
		tree    = "quiet example.com/a/...\n"
		far     = "quiet example.com/...\n"
		whole   = "block example.com/a/lib.* class=rpc\n"
		typ     = "block (*example.com/a/lib.Conn).* class=sql\n"
		pointer = "block (*example.com/a/lib.Conn).Pointer class=net\n"
	)
	tests := []struct {
		name, lines, fn, want string
	}{
		{"symbol before type", pointer + typ + whole, "Conn.Pointer", pointer},
		{"type before package", pointer + typ + whole, "Conn.Value", typ},
		{"package before tree", whole + tree, "Plain", whole},
		{"package before tree, method", whole + tree, "Conn.Value", whole},
		{"longest tree", far + tree, "Plain", tree},
		{"root of a tree", "quiet example.com/a/lib/...\n", "Plain", "quiet example.com/a/lib/...\n"},
		{"a type's block line needs a context", typ + tree, "Conn.NoContext", tree},
		{"a package's block line needs a context", whole, "Bare", ""},
		{"a package's quiet line does not", "quiet example.com/a/lib.*\n", "Bare", "quiet example.com/a/lib.*\n"},
		{"no tree by half an element", "quiet example.com/a/li/...\n", "Plain", ""},
		{"value receiver spelled as pointer", "quiet (*example.com/a/lib.Conn).Value\n", "Conn.Value", "quiet (*example.com/a/lib.Conn).Value\n"},
		{"pointer receiver spelled as value", "quiet (example.com/a/lib.Conn).Pointer\n", "Conn.Pointer", "quiet (example.com/a/lib.Conn).Pointer\n"},
		{"a function is no method", "quiet example.com/a/lib.Value\n", "Conn.Value", ""},
		{"generic function", "quiet example.com/a/lib.Generic\n", "Generic", "quiet example.com/a/lib.Generic\n"},
		{"method of a generic type", "quiet (*example.com/a/lib.List).Push\n", "List.Push", "quiet (*example.com/a/lib.List).Push\n"},
		{"interface method", "quiet (example.com/a/lib.Getter).Get\n", "Getter.Get", "quiet (example.com/a/lib.Getter).Get\n"},
		{"embedded interface, by the one that declares it", "quiet (example.com/a/lib.Getter).Get\n", "Commands.Get", "quiet (example.com/a/lib.Getter).Get\n"},
		{"alias", "quiet (example.com/a/lib.Conn).Value\n", "Alias.Value", "quiet (example.com/a/lib.Conn).Value\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := new(Catalog).Extend("test", test.lines)
			if err != nil {
				t.Fatal(err)
			}
			e, ok := c.Func(function(t, pkg, test.fn))
			got := ""
			if ok {
				got = e.Symbol.String()
			}
			if want := symbolOf(test.want); got != want {
				t.Errorf("got the line of %q, want that of %q", got, want)
			}
		})
	}
}

// function finds "Name" or "Type.Name" in pkg.
func function(t testing.TB, pkg *types.Package, name string) *types.Func {
	t.Helper()
	typ, method, isMethod := strings.Cut(name, ".")
	obj := pkg.Scope().Lookup(typ)
	if isMethod && obj != nil {
		obj, _, _ = types.LookupFieldOrMethod(obj.Type(), true, pkg, method)
	}
	fn, ok := obj.(*types.Func)
	if !ok {
		t.Fatalf("%s has no function %s", pkg.Path(), name)
	}
	return fn
}

// symbolOf is the second word of a line.
func symbolOf(line string) string {
	if words := strings.Fields(line); len(words) > 1 {
		return words[1]
	}
	return ""
}
