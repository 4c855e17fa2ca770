package catalog

import (
	"fmt"
	"go/types"
	"testing"
)

const handlers = `package app
import (
	"context"
	"net/http"
	"google.golang.org/grpc"
	"connectrpc.com/connect"
	"github.com/spf13/cobra"
)

type W = http.ResponseWriter
type Msg struct{}
type writer interface { http.ResponseWriter }

func Plain(w http.ResponseWriter, r *http.Request) {}
func Aliased(w W, r *http.Request) {}
func Extra(w http.ResponseWriter, id string, r *http.Request, opts ...int) (int, error) { return 0, nil }
func Swapped(r *http.Request, w http.ResponseWriter) {}
func WithContext(ctx context.Context, w http.ResponseWriter, r *http.Request) {}
func Value(w http.ResponseWriter, r http.Request) {}
func OwnWriter(w writer, r *http.Request) {}
func Client(r *http.Request) error { return nil }

func Unary(ctx context.Context, req interface{}, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (interface{}, error) { return nil, nil }
func UnaryClient(ctx context.Context, req any, handler grpc.UnaryHandler) (any, error) { return nil, nil }
func UnaryNamedResults(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (resp any, err error) { return nil, nil }
func Stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error { return nil }

func Connect(ctx context.Context, r *connect.Request[Msg]) (*connect.Response[Msg], error) { return nil, nil }
func ConnectGeneric[T any](ctx context.Context, r *connect.Request[T]) (*connect.Response[T], error) { return nil, nil }
func ConnectServerStream(ctx context.Context, r *connect.Request[Msg], s *connect.ServerStream[Msg]) error { return nil }
func ConnectClientStream(ctx context.Context, s *connect.ClientStream[Msg]) (*connect.Response[Msg], error) { return nil, nil }
func ConnectBidi(ctx context.Context, s *connect.BidiStream[Msg, Msg]) error { return nil }
func Repository(ctx context.Context, m *Msg) (*Msg, error) { return nil, nil }

func Run(cmd *cobra.Command, args []string) {}
func RunE(cmd *cobra.Command, args []string) error { return nil }
func Args(cmd *cobra.Command, args ...string) error { return nil }
func Complete(cmd *cobra.Command, args []string, to string) error { return nil }

type Mux struct{}
func (*Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {}
type ValueMux struct{}
func (ValueMux) ServeHTTP(w http.ResponseWriter, r *http.Request) {}
type NotMux struct{}
func (NotMux) ServeHTTP(w http.ResponseWriter, r *http.Request) error { return nil }
func (Mux) Other(w http.ResponseWriter) {}

type FooServer interface { Foo(context.Context, *Msg) (*Msg, error) }
type FooImpl struct{}
func (FooImpl) Foo(context.Context, *Msg) (*Msg, error) { return nil, nil }
func RegisterFooServer(s grpc.ServiceRegistrar, srv FooServer) {}
type OldServer interface { Old(context.Context, *Msg) (*Msg, error) }
func RegisterOldServer(s *grpc.Server, srv OldServer) {}
func RegisterOtherServer(s *grpc.Server, srv FooServer) {}
func RegisterFoo(s grpc.ServiceRegistrar, srv FooServer) {}
func NewFooServer(s grpc.ServiceRegistrar, srv FooServer) {}
func RegisterValueServer(s grpc.Server, srv FooServer) {}
func RegisterImplServer(s grpc.ServiceRegistrar, srv FooImpl) {}
func RegisterManyServer(s grpc.ServiceRegistrar, srv FooServer, more int) {}
func RegisterAnonymousServer(s grpc.ServiceRegistrar, srv interface{ Foo() }) {}
`

func TestRootOf(t *testing.T) {
	pkg, _ := check(t, "example.com/app", handlers)
	const httpHandler = "net/http handler"
	tests := []struct {
		fn, name, grade string
		ctx             int
	}{
		{"Plain", httpHandler, "R", 1},
		{"Aliased", httpHandler, "R", 1},
		{"Extra", httpHandler, "R", 2},
		{"Swapped", httpHandler, "R", 0},
		{"WithContext", httpHandler, "R", 0},
		{"Mux.ServeHTTP", httpHandler, "R", 1},
		{"Unary", "gRPC unary interceptor", "R", 0},
		{"UnaryNamedResults", "gRPC unary interceptor", "R", 0},
		{"Stream", "gRPC stream interceptor", "R", 1},
		{"Connect", "connect unary handler", "R", 0},
		{"ConnectGeneric", "connect unary handler", "R", 0},
		{"ConnectServerStream", "connect server-stream handler", "R", 0},
		{"ConnectClientStream", "connect client-stream handler", "R", 0},
		{"ConnectBidi", "connect bidi-stream handler", "R", 0},
		{"Run", "cobra command", "C", 0},
		{"RunE", "cobra command", "C", 0},
	}
	for _, test := range tests {
		r, ok := Default().RootOf(function(t, pkg, test.fn).Signature())
		if !ok || r.Name != test.name || r.Grade.String() != test.grade || r.Ctx != test.ctx {
			t.Errorf("%s: got %q grade %v ctx %d, want %+v", test.fn, r.Name, r.Grade, r.Ctx, test)
		}
	}
	for _, fn := range []string{
		"Value", "OwnWriter", "Client", "UnaryClient", "Repository", "Complete", "Mux.Other", "FooImpl.Foo",
	} {
		if r, ok := Default().RootOf(function(t, pkg, fn).Signature()); ok {
			t.Errorf("%s is no root, but matches %v", fn, r)
		}
	}
}

func TestRootContextAsWritten(t *testing.T) {
	pkg, _ := check(t, "example.com/app", handlers)
	c, err := new(Catalog).Extend("x", `
		root func(context.Context, net/http.ResponseWriter, *net/http.Request) ctx=2 name="by request"
		root func(context.Context, *example.com/app.Msg) (_, error) ctx=9 name="out of range"
		root func(net/http.ResponseWriter) name="nothing"
	`)
	if err != nil {
		t.Fatal(err)
	}
	for fn, want := range map[string]int{"WithContext": 2, "Repository": 0, "Mux.Other": None} {
		if r, ok := c.RootOf(function(t, pkg, fn).Signature()); !ok || r.Ctx != want {
			t.Errorf("%s: got %t with ctx %d, want %d", fn, ok, r.Ctx, want)
		}
	}
}

func TestRootMethod(t *testing.T) {
	pkg, _ := check(t, "example.com/app", handlers)
	c, err := Default().Extend("x", `root (example.com/app.FooServer).Foo name="foo"`)
	if err != nil {
		t.Fatal(err)
	}
	for fn, want := range map[string]string{
		"Mux.ServeHTTP":      "net/http handler",
		"ValueMux.ServeHTTP": "net/http handler",
		"NotMux.ServeHTTP":   "", // another result: not the interface
		"Mux.Other":          "",
		"FooImpl.Foo":        "foo",
		"FooServer.Foo":      "", // a declaration
		"Plain":              "",
	} {
		r, ok := c.RootMethod(function(t, pkg, fn))
		if ok != (want != "") || r.Name != want {
			t.Errorf("%s: got %q, want %q", fn, r.Name, want)
		}
	}
}

func TestServiceInterface(t *testing.T) {
	pkg, _ := check(t, "example.com/app", handlers)
	for fn, want := range map[string]bool{
		"RegisterFooServer":       true,
		"RegisterOldServer":       true,
		"RegisterOtherServer":     false, // not by its generator
		"RegisterFoo":             false,
		"NewFooServer":            false,
		"RegisterValueServer":     false,
		"RegisterImplServer":      false,
		"RegisterManyServer":      false,
		"RegisterAnonymousServer": false,
	} {
		iface, name, ok := Default().ServiceInterface(function(t, pkg, fn))
		if ok != want {
			t.Errorf("%s: got %t, want %t", fn, ok, want)
		}
		if ok && ("Register"+iface.Obj().Name() != fn || name != "gRPC method") {
			t.Errorf("%s registers %v as %q", fn, iface, name)
		}
	}
}

// TestServicePattern: a line in the long form finds the interface by the
// function's name and shape, and by the interface's name.
func TestServicePattern(t *testing.T) {
	pkg, _ := check(t, "example.com/app", handlers+`
type Foo interface { Foo(context.Context, *Msg) (*Msg, error) }
type Handler interface { Handle() }
type Option func()
type Twirp interface { http.Handler }
func NewFooServer2(svc Foo, opts ...any) Twirp { return nil }
func NewFooHandler(svc FooServer, opts ...Option) (string, http.Handler) { return "", nil }
func NewHandler(svc Handler, opts ...Option) (string, http.Handler) { return "", nil }
func NewLoggingHandler(next Handler, opts ...Option) (string, http.Handler) { return "", nil }
func NewFooImplHandler(svc FooImpl, opts ...Option) (string, http.Handler) { return "", nil }
func (Mux) NewFooHandler(svc FooServer, opts ...Option) (string, http.Handler) { return "", nil }
`)
	c, err := new(Catalog).Extend("x", `
		service New*Handler func(_, []example.com/app.Option) (string, net/http.Handler) name="handler method"
		service New*Server2 func(_, []any) _ name="server method"`)
	if err != nil {
		t.Fatal(err)
	}
	for fn, want := range map[string]string{
		"NewFooHandler":     "FooServer handler method",
		"NewFooServer2":     "Foo server method",
		"NewHandler":        "", // of which service?
		"NewLoggingHandler": "", // a decorator
		"NewFooImplHandler": "", // no interface
		"Mux.NewFooHandler": "",
		"RegisterFooServer": "",
	} {
		got := ""
		if iface, name, ok := c.ServiceInterface(function(t, pkg, fn)); ok {
			got = iface.Obj().Name() + " " + name
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", fn, got, want)
		}
	}
}

func TestRootArgument(t *testing.T) {
	pkg, _ := check(t, "example.com/app", `package app
		type Bus struct{}
		func (*Bus) On(name string, f any) {}
		func (Bus) Off(name string, f any) {}
		func Start(f any) {}
	`)
	c, err := new(Catalog).Extend("x", `root (*example.com/app.Bus).On fn=1 name="event"; root example.com/app.Start fn=0 grade=C name="start"`)
	if err != nil {
		t.Fatal(err)
	}
	for fn, want := range map[string]string{"Bus.On": "event R 1", "Start": "start C 0", "Bus.Off": ""} {
		got := ""
		if r, ok := c.RootArgument(function(t, pkg, fn)); ok {
			got = fmt.Sprint(r.Name, " ", r.Grade, " ", r.Fn)
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", fn, got, want)
		}
	}
	if n := len(c.Roots()); n != 2 {
		t.Errorf("Roots lists %d, want 2", n)
	}
}

func TestProvider(t *testing.T) {
	pkg, _ := check(t, "example.com/app", `package app
		type Ctx struct{}
		type Ifc interface { M() }
		type Embeds struct { *Ctx; n int }
		type Deep struct { Embeds }
		type Wider interface { Ifc; N() }
		type Holds struct { c *Ctx }
		type Other struct{}
		type Alias = Ctx
	`)
	c, err := new(Catalog).Extend("x", `
		provider *example.com/app.Ctx expr=Request().Context() deaf unless=Engine.Fallback
		provider example.com/app.Ifc expr=Request.Context() unset`)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Ctx": "Request", "Embeds": "Request", "Deep": "Request", "Alias": "Request", "Ifc": "Request", "Wider": "Request",
		"Holds": "", "Other": "",
	} {
		typ := pkg.Scope().Lookup(name).Type()
		for _, typ := range []types.Type{typ, types.NewPointer(typ)} {
			if p, _ := c.Provider(typ); p.Step() != want {
				t.Errorf("%v: begins with %q, want %q", typ, p.Step(), want)
			}
		}
	}
	if p, _ := c.Provider(pkg.Scope().Lookup("Ctx").Type()); p.Method() != "Request().Context" || !p.Deaf || p.Unset || !p.Pointer {
		t.Errorf("read as %v", p)
	}
	for _, p := range c.Providers() {
		again, err := new(Catalog).Extend("x", "provider "+p.String())
		if err != nil || again.Providers()[0].String() != p.String() {
			t.Errorf("%v is not read again as it is written: %v", p, err)
		}
	}
	over, err := c.Extend("y", "provider *example.com/app.Ctx expr=Other()")
	if err != nil {
		t.Fatal(err)
	}
	if p, _ := over.Provider(pkg.Scope().Lookup("Ctx").Type()); p.Step() != "Other" || p.Deaf {
		t.Errorf("the later line is not the one that counts: %v", p)
	}
}

func TestPatternsMatch(t *testing.T) {
	const src = `package app
		import "context"
		type Pair[A, B any] struct{}
		type Fn func(int) error
		func Slice(a []string) {}
		func Variadic(a ...string) {}
		func Func(f func(int) error) {}
		func NamedFunc(f Fn) {}
		func IntStr(p Pair[int, string]) {}
		func StrInt(p Pair[string, int]) {}
		func Two(a, b string) (int, error) { return 0, nil }
		func None() {}
		func Ctx(c context.Context) (c2 context.Context) { return c }
	`
	pkg, _ := check(t, "example.com/app", src)
	tests := []struct {
		pattern string
		matches []string
	}{
		{"func()", []string{"None"}},
		{"func(...) ...", []string{"Slice", "Variadic", "Func", "NamedFunc", "IntStr", "StrInt", "Two", "None", "Ctx"}},
		{"func(_)", []string{"Slice", "Variadic", "Func", "NamedFunc", "IntStr", "StrInt"}},
		{"func([]string)", []string{"Slice", "Variadic"}},
		{"func(func(int) error)", []string{"Func", "NamedFunc"}},
		{"func(func(...) ...)", []string{"Func", "NamedFunc"}},
		{"func(func(int))", nil},
		{"func(example.com/app.Fn)", []string{"NamedFunc"}},
		{"func(example.com/app.Pair)", []string{"IntStr", "StrInt"}},
		{"func(example.com/app.Pair[int, _])", []string{"IntStr"}},
		{"func(example.com/app.Pair[_])", nil},
		{"func(*example.com/app.Pair)", nil},
		{"func(string, ..., string) (_, error)", []string{"Two"}},
		{"func(..., string, ..., string, ..., string, ...) ...", nil},
		{"func(...) (int, ...)", []string{"Two"}},
		{"func(...) (..., error)", []string{"Two"}},
		{"func(...) context.Context", []string{"Ctx"}},
		{"func(..., example.com/app._, ...) ...", []string{"NamedFunc", "IntStr", "StrInt"}},
		{"func(_.Fn)", []string{"NamedFunc"}},
		{"func(context.Context) ...", []string{"Ctx"}},
	}
	for _, test := range tests {
		c, err := new(Catalog).Extend("x", "root "+test.pattern+` name="r"`)
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
			continue
		}
		want := map[string]bool{}
		for _, name := range test.matches {
			want[name] = true
		}
		for _, name := range pkg.Scope().Names() {
			fn, ok := pkg.Scope().Lookup(name).(*types.Func)
			if !ok {
				continue
			}
			if _, got := c.RootOf(fn.Signature()); got != want[name] {
				t.Errorf("%s matches %s: %t", test.pattern, name, got)
			}
		}
	}
}
