package catalog

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// stubs are the packages that tests import, reduced to what patterns see. The
// real ones are looked at in the conformance module.
var stubs = map[string]string{
	"context": `package context
		type Context interface { Done() <-chan struct{}; Err() error }
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
		type ServerStream interface { Context() context.Context }
		type UnaryServerInfo struct{}
		type StreamServerInfo struct{}
		type UnaryHandler func(ctx context.Context, req any) (any, error)
		type StreamHandler func(srv any, stream ServerStream) error
		type ServiceRegistrar interface { RegisterService() }
		type Server struct{}
	`,
	"connectrpc.com/connect": `package connect
		type Request[T any] struct{ Msg *T }
		type Response[T any] struct{ Msg *T }
		type ServerStream[T any] struct{}
		type ClientStream[T any] struct{}
		type BidiStream[A, B any] struct{}
	`,
	"github.com/spf13/cobra": `package cobra
		import "context"
		type Command struct{}
		func (*Command) Context() context.Context { return nil }
	`,
}

// memory imports each package once, so that its types are identical.
type memory map[string]*types.Package

func (m memory) Import(path string) (*types.Package, error) {
	if pkg := m[path]; pkg != nil {
		return pkg, nil
	}
	src, ok := stubs[path]
	if !ok {
		return nil, fmt.Errorf("no stub of %s", path)
	}
	pkg, err := checkSource(path, src, m, nil)
	m[path] = pkg
	return pkg, err
}

func checkSource(path, src string, imp types.Importer, info *types.Info) (*types.Package, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "src.go", src, 0)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: imp}
	return conf.Check(path, fset, []*ast.File{file}, info)
}

// check type-checks a package of one file.
func check(t testing.TB, path, src string) (*types.Package, *types.Info) {
	t.Helper()
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
	pkg, err := checkSource(path, src, memory{}, info)
	if err != nil {
		t.Fatal(err)
	}
	return pkg, info
}
