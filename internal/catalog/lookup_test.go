package catalog

import (
	"go/types"
	"strings"
	"testing"
)

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
		{"name before its pattern", "quiet example.com/a/lib.Plain\nquiet example.com/a/lib.P*\n", "Plain", "quiet example.com/a/lib.Plain\n"},
		{"longer pattern", "quiet example.com/a/lib.P*\nquiet example.com/a/lib.Pl*n\n", "Plain", "quiet example.com/a/lib.Pl*n\n"},
		{"a pattern's star may be nothing", "quiet example.com/a/lib.Pl*ain\n", "Plain", "quiet example.com/a/lib.Pl*ain\n"},
		{"a pattern's ends do not overlap", "quiet example.com/a/lib.Pla*lain\n", "Plain", ""},
		{"pattern before package", whole + "quiet example.com/a/lib.*in\n", "Plain", "quiet example.com/a/lib.*in\n"},
		{"pattern before type", typ + "quiet (*example.com/a/lib.Conn).Poi*\n", "Conn.Pointer", "quiet (*example.com/a/lib.Conn).Poi*\n"},
		{"a pattern of functions is for no method", "quiet example.com/a/lib.V*\n", "Conn.Value", ""},
		{"a pattern of one type's methods is for no other's", "quiet (example.com/a/lib.Getter).P*\n", "Conn.Pointer", ""},
		{"a pattern's block line needs a context", "block example.com/a/lib.Ba* class=rpc\n", "Bare", ""},
		{"pattern in a tree", tree + "quiet example.com/a/....Pl*\n", "Plain", "quiet example.com/a/....Pl*\n"},
		{"name in a tree", tree + "quiet example.com/a/....Plain\n", "Plain", "quiet example.com/a/....Plain\n"},
		{"package before a tree's pattern", whole + "quiet example.com/a/....Pl*\n", "Plain", whole},
		{"a tree's pattern is for no method", "quiet example.com/a/....Val*\n", "Conn.Value", ""},
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
			if want := lookedUp(test.want); got != want {
				t.Errorf("got the line of %q, want that of %q", got, want)
			}
		})
	}
}

// TestMethodPrefersTheReceiversType pins what go-redis needs: a pipeline's
// commands are its client's, promoted, and only queue.
func TestMethodPrefersTheReceiversType(t *testing.T) {
	pkg, info := check(t, "example.com/a/lib", library)
	c, err := new(Catalog).Extend("test", `
		block (example.com/a/lib.Getter).* class=cache
		block (example.com/a/lib.Conn).* class=sql
		quiet (example.com/a/lib.Queue).*
		block (example.com/a/lib.Queue).Exec class=cache
		quiet (example.com/a/lib.Wrapper).Value
	`)
	if err != nil {
		t.Fatal(err)
	}
	recv := func(name string) types.Type { return pkg.Scope().Lookup(name).Type() }
	tests := []struct{ recv, fn, want string }{
		{"Getter", "Getter.Get", "(example.com/a/lib.Getter).*"},
		{"Commands", "Queue.Get", "(example.com/a/lib.Getter).*"},
		{"Queue", "Queue.Get", "(example.com/a/lib.Queue).*"},
		{"Queue", "Queue.Exec", "(example.com/a/lib.Queue).Exec"},
		{"Conn", "Wrapper.Value", "(example.com/a/lib.Conn).*"},
		{"Wrapper", "Wrapper.Value", "(example.com/a/lib.Wrapper).Value"},
		{"Alias", "Wrapper.Value", "(example.com/a/lib.Conn).*"},
	}
	for _, test := range tests {
		for _, t2 := range []types.Type{recv(test.recv), types.NewPointer(recv(test.recv))} {
			e, ok := c.Method(t2, function(t, pkg, test.fn))
			if !ok || e.Symbol.String() != test.want {
				t.Errorf("Method(%v, %s) finds the line of %v, want %s", t2, test.fn, e.Symbol, test.want)
			}
		}
	}
	for _, selection := range info.Selections {
		fn := selection.Obj().(*types.Func)
		if _, ok := c.Method(types.NewInterfaceType(nil, nil), fn); ok != (fn.Name() != "Push") {
			t.Errorf("Method with a receiver of no name: %v found: %t", fn, ok)
		}
	}
}

// TestInstances: the functions of an instantiated generic are not the ones
// that the package declares.
func TestInstances(t *testing.T) {
	_, info := check(t, "example.com/a/lib", library)
	c, err := new(Catalog).Extend("test", "block (*example.com/a/lib.List).Push class=net")
	if err != nil {
		t.Fatal(err)
	}
	for _, selection := range info.Selections {
		fn := selection.Obj().(*types.Func)
		if fn.Name() != "Push" {
			continue
		}
		if fn == fn.Origin() {
			t.Fatal("the test calls no instance")
		}
		e, ok := c.Func(fn)
		if !ok || e.ContextArg(fn.Signature()) != 0 {
			t.Errorf("the instance is not found with its context: %v %t", e, ok)
		}
		return
	}
	t.Fatal("no call of Push")
}

func TestUniverseFunctionsAreNotDescribed(t *testing.T) {
	errorMethod, _, _ := types.LookupFieldOrMethod(types.Universe.Lookup("error").Type(), true, nil, "Error")
	if e, ok := Default().Func(errorMethod.(*types.Func)); ok {
		t.Errorf("error.Error is described as %v", e)
	}
}

func TestHasPackage(t *testing.T) {
	c, err := Default().Extend("-ctxflow.catalog", `
		block (*example.com/app/store.Store).Get class=sql
		quiet example.com/app/log/...
		quiet go.uber.org/zap/...
	`)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"context":                        true,
		"google.golang.org/grpc":         true,
		"go.uber.org/zap":                true, // the tree itself, overridden
		"go.uber.org/zap/zapcore":        true,
		"go.uber.org/zapper":             false,
		"go.uber.org":                    false,
		"google.golang.org/grpc/unnamed": false,
		"example.com/app/store":          false, // the user's own
		"example.com/app/log":            false,
		"":                               false,
	} {
		if got := c.HasPackage(path); got != want {
			t.Errorf("HasPackage(%q) = %t, want %t", path, got, want)
		}
	}
}

// TestLookupDoesNotAllocate guards the property that lets every call of a
// program be looked up.
func TestLookupDoesNotAllocate(t *testing.T) {
	c := Default()
	for name, fn := range benchFuncs(t) {
		if n := testing.AllocsPerRun(100, func() { c.Func(fn) }); n != 0 {
			t.Errorf("Func allocates %v times for %s", n, name)
		}
		if recv := fn.Signature().Recv(); recv != nil {
			if n := testing.AllocsPerRun(100, func() { c.Method(recv.Type(), fn) }); n != 0 {
				t.Errorf("Method allocates %v times for %s", n, name)
			}
		}
	}
}

func BenchmarkFunc(b *testing.B) {
	c := Default()
	for name, fn := range benchFuncs(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Func(fn)
			}
		})
	}
}

// benchFuncs are one function for each way that a look-up can end.
func benchFuncs(t testing.TB) map[string]*types.Func {
	const src = `package lib
		import "context"
		type Conn struct{}
		func (*Conn) Query(ctx context.Context) {}
		func F(ctx context.Context) {}
	`
	named := func(path, fn string) *types.Func {
		pkg, _ := check(t, path, src)
		return function(t, pkg, fn)
	}
	return map[string]*types.Func{
		"symbol":  named("database/sql", "Conn.Query"),
		"type":    named("github.com/jackc/pgx/v5", "Conn.Query"),
		"tree":    named("go.opentelemetry.io/otel/some/where", "F"),
		"unknown": named("example.com/some/where/deep/down", "Conn.Query"),
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

// TestTwinsOfMany: a line about the twins of a type speaks of those methods that
// have the sibling, and names it.
func TestTwinsOfMany(t *testing.T) {
	pkg, _ := check(t, "example.com/a/lib", `package lib
		import "context"
		type API struct{}
		func (*API) Get(id string) error { return nil }
		func (*API) GetWithContext(ctx context.Context, id string) error { return nil }
		func (*API) Alone(id string) error { return nil }
		func (*API) Both(ctx context.Context) error { return nil }
		func (*API) BothWithContext(ctx context.Context) error { return nil }
		func (*API) Other() error { return nil }
		func (*API) OtherWithContext(n int) error { return nil }
		func Fetch() error { return nil }
		func FetchWithContext(ctx context.Context) error { return nil }
	`)
	for _, line := range []string{
		"twin example.com/a/... class=rpc use=*WithContext", "twin example.com/a/lib.* class=rpc use=*WithContext",
		"block example.com/a/lib.* class=rpc; twin example.com/a/lib.* class=rpc use=*WithContext",
		"block (example.com/a/lib.API).* class=rpc; twin (example.com/a/lib.API).* class=rpc use=*WithContext; twin example.com/a/lib.F* class=rpc use=*WithContext",
	} {
		c, err := new(Catalog).Extend("x", line)
		if err != nil {
			t.Fatal(err)
		}
		for fn, want := range map[string]string{
			"API.Get": "GetWithContext", "API.GetWithContext": "", "API.Alone": "", "API.Both": "", "API.Other": "", "Fetch": "FetchWithContext",
		} {
			if e, _ := c.Func(function(t, pkg, fn)); e.Use != want {
				t.Errorf("%s: %s has the twin %q, want %q", line, fn, e.Use, want)
			}
		}
	}
}

// lookedUp is the second word of a line.
func lookedUp(line string) string {
	if words := strings.Fields(line); len(words) > 1 {
		return words[1]
	}
	return ""
}
