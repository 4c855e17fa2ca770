package request_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/request"
)

// sources are the packages of the tests, imports reduced to what roots ask of
// them.
var sources = map[string]string{
	"context": `package context
		type Context interface { Deadline() (int64, bool); Done() <-chan struct{}; Err() error; Value(any) any }
	`,
	"net/http": `package http
		import "context"
		type ResponseWriter interface { Write([]byte) (int, error) }
		type Request struct{}
		func (*Request) Context() context.Context { return nil }
		type Handler interface { ServeHTTP(ResponseWriter, *Request) }
	`,
	"google.golang.org/grpc": `package grpc
		import "context"
		type ServerStream interface { Context() context.Context; SendMsg(any) error }
		type ServerStreamingServer[T any] interface { Send(*T) error; ServerStream }
		type ServiceRegistrar interface { RegisterService(any, any) }
	`,
	"github.com/spf13/cobra": `package cobra
		import "context"
		type Command struct{}
		func (*Command) Context() context.Context { return nil }
	`,
	"shelfpb": `package shelfpb
		import (
			"context"
			"google.golang.org/grpc"
		)
		type Item struct{}
		type ShelfServer interface {
			Lookup(context.Context, *Item) (*Item, error)
			List(*Item, grpc.ServerStreamingServer[Item]) error
			mustEmbedUnimplementedShelfServer()
		}
		type UnimplementedShelfServer struct{}
		func (UnimplementedShelfServer) Lookup(context.Context, *Item) (*Item, error) { return nil, nil }
		func (UnimplementedShelfServer) List(*Item, grpc.ServerStreamingServer[Item]) error { return nil }
		func (UnimplementedShelfServer) mustEmbedUnimplementedShelfServer() {}
		func RegisterShelfServer(s grpc.ServiceRegistrar, srv ShelfServer) { s.RegisterService(nil, srv) }
	`,
	"app": app,
}

// app marks each function with what it is: a grade and the index of the
// parameter that is or provides the context, or nothing.
const app = `package app

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"

	"shelfpb"
)

type server struct{ shelfpb.UnimplementedShelfServer }

func (s *server) Lookup(ctx context.Context, in *shelfpb.Item) (*shelfpb.Item, error) { return in, nil } // root: R 0
func (s *server) List(in *shelfpb.Item, out grpc.ServerStreamingServer[shelfpb.Item]) error { return nil } // root: R 1
func (s *server) lookup(ctx context.Context, in *shelfpb.Item) (*shelfpb.Item, error) { return in, nil } // root: none

type byValue struct{ *server }

func (v byValue) Lookup(ctx context.Context, in *shelfpb.Item) (*shelfpb.Item, error) { return in, nil } // root: R 0

// repository has the methods and implements the interface only in part.
type repository struct{}

func (*repository) Lookup(ctx context.Context, in *shelfpb.Item) (*shelfpb.Item, error) { return in, nil } // root: none

// generic types are not looked at.
type generic[T any] struct{ shelfpb.UnimplementedShelfServer }

func (*generic[T]) Lookup(ctx context.Context, in *shelfpb.Item) (*shelfpb.Item, error) { return in, nil } // root: none

func Plain(w http.ResponseWriter, r *http.Request) {} // root: R 1
func Routed(w http.ResponseWriter, r *http.Request, id string) error { return nil } // root: R 1
func Alone(r *http.Request) error { return nil } // root: none

type handler struct{}

func (handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {} // root: R 1

func run(cmd *cobra.Command, args []string) error { return nil } // root: C 0

func bare(ctx context.Context, in *shelfpb.Item) (*shelfpb.Item, error) { return in, nil } // root: none

func main() {} // root: none
`

func TestOf(t *testing.T) {
	m := memory{}
	pkg, err := m.Import("app")
	if err != nil {
		t.Fatal(err)
	}
	roots := request.New(catalog.Default(), pkg)
	asserted := 0
	for _, fn := range declared(pkg) {
		want, ok := mark(m.line(fn.Pos()))
		if !ok {
			continue
		}
		asserted++
		got := "none"
		if root, ok := roots.Of(fn, fn.Signature()); ok {
			got = fmt.Sprintf("%s %d", root.Grade, root.Param)
			if root.Name == "" {
				t.Errorf("%s: the root has no name", fn.FullName())
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", fn.FullName(), got, want)
		}
	}
	if want := strings.Count(app, "// root: "); asserted != want {
		t.Errorf("%d functions found, want %d", asserted, want)
	}
}

// TestOfClosure: a closure has no object, only a shape.
func TestOfClosure(t *testing.T) {
	pkg, err := memory{}.Import("app")
	if err != nil {
		t.Fatal(err)
	}
	roots := request.New(catalog.Default(), pkg)
	sig := pkg.Scope().Lookup("Plain").Type().(*types.Signature)
	if root, ok := roots.Of(nil, sig); !ok || root.Grade != finding.GradeRequest {
		t.Errorf("a closure of a handler's shape: %+v, %t", root, ok)
	}
	if _, ok := roots.Of(nil, pkg.Scope().Lookup("bare").Type().(*types.Signature)); ok {
		t.Error("a closure of a repository's shape is no root")
	}
}

// TestGeneratedStubs: the generator's own types are not the user's handlers.
func TestGeneratedStubs(t *testing.T) {
	pkg, err := memory{}.Import("shelfpb")
	if err != nil {
		t.Fatal(err)
	}
	roots := request.New(catalog.Default(), pkg)
	for _, fn := range declared(pkg) {
		if root, ok := roots.Of(fn, fn.Signature()); ok {
			t.Errorf("%s is a root: %+v", fn.FullName(), root)
		}
	}
}

// declared lists the functions and methods of a package.
func declared(pkg *types.Package) []*types.Func {
	var out []*types.Func
	for _, name := range pkg.Scope().Names() {
		switch obj := pkg.Scope().Lookup(name).(type) {
		case *types.Func:
			out = append(out, obj)
		case *types.TypeName:
			if named, ok := obj.Type().(*types.Named); ok && !types.IsInterface(named) {
				for m := range named.Methods() {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

func mark(line string) (want string, ok bool) {
	_, want, ok = strings.Cut(line, "// root: ")
	return strings.TrimSpace(want), ok
}

// memory imports each package once, so that its types are identical.
type memory map[string]*types.Package

var fset = token.NewFileSet()

func (m memory) Import(path string) (*types.Package, error) {
	if pkg := m[path]; pkg != nil {
		return pkg, nil
	}
	file, err := parser.ParseFile(fset, path+".go", sources[path], parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: m}
	m[path], err = conf.Check(path, fset, []*ast.File{file}, nil)
	return m[path], err
}

// line is the source line at a position.
func (memory) line(pos token.Pos) string {
	posn := fset.Position(pos)
	return strings.Split(sources[strings.TrimSuffix(posn.Filename, ".go")], "\n")[posn.Line-1]
}
