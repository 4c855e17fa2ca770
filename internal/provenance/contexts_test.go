package provenance_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/provenance"
)

const contextStub = `package context
type Context interface {
	Deadline() (int64, bool)
	Done() <-chan struct{}
	Err() error
	Value(key any) any
}
`

// carriers declares types; the comment of each says what it is: a context, a
// provider of one, or nothing.
const carriers = `package p

import "context"

type alias = context.Context // context

type renamed context.Context // context

type wider interface { context.Context; User() string } // context

type likeness interface { Deadline() (int64, bool); Done() <-chan struct{}; Err() error; Value(any) any } // context

type custom struct { context.Context; user string } // context

type byPointer struct { context.Context } // context

type deep struct { *custom } // context

type group struct { done chan struct{} } // nothing
func (g group) Done() {}

type waiter struct{} // nothing
func (waiter) Done() <-chan struct{} { return nil }
func (waiter) Err() error { return nil }

type bidirectional struct{} // nothing
func (bidirectional) Deadline() (int64, bool) { return 0, false }
func (bidirectional) Done() chan struct{} { return nil }
func (bidirectional) Err() error { return nil }
func (bidirectional) Value(any) any { return nil }

type request struct{ ctx context.Context } // provider
func (r *request) Context() context.Context { return r.ctx }

type stream interface { Context() context.Context; Send(int) error } // provider

type wrapped struct { stream; n int } // provider

type typed struct{} // provider
func (typed) Context() wider { return nil }

type takes struct{} // nothing
func (takes) Context(n int) context.Context { return nil }

type returnsMore struct{} // nothing
func (returnsMore) Context() (context.Context, error) { return nil, nil }

type otherwise struct{} // nothing
func (otherwise) Context() string { return "" }

type field struct { Context context.Context } // nothing

type holder struct { ctx context.Context } // nothing

type both struct { context.Context; r *request } // context

type empty interface{} // nothing

type number int // nothing

type function func(context.Context) // nothing

type recursive struct { next *recursive } // nothing

type hidden struct { unexported } // nothing
type unexported struct{} // nothing
`

func TestCarriers(t *testing.T) {
	pkg := check(t, carriers)
	for line := range strings.Lines(carriers) {
		rest, ok := strings.CutPrefix(line, "type ")
		_, want, marked := strings.Cut(rest, "// ")
		if !ok || !marked {
			continue
		}
		want = strings.TrimSpace(want)
		name, _, _ := strings.Cut(rest, " ")
		typ := pkg.Scope().Lookup(name).Type()
		if _, isInterface := typ.Underlying().(*types.Interface); !isInterface {
			assertCarrier(t, types.NewPointer(typ), want) // methods may have pointer receivers
			if name == "request" {
				continue
			}
		}
		assertCarrier(t, typ, want)
	}
}

func assertCarrier(t *testing.T, typ types.Type, want string) {
	t.Helper()
	got := "nothing"
	switch isContext, isProvider := provenance.IsContext(typ), provenance.IsProvider(typ); {
	case isContext && isProvider:
		got = "both"
	case isContext:
		got = "context"
	case isProvider:
		got = "provider"
	}
	if got != want {
		t.Errorf("%s is %s, want %s", typ, got, want)
	}
	if provenance.Carries(typ) != (want != "nothing") {
		t.Errorf("Carries(%s) = %t", typ, provenance.Carries(typ))
	}
}

// TestTypeParameters: a type parameter is what its constraint is.
func TestTypeParameters(t *testing.T) {
	pkg := check(t, `package p
import "context"
func f[C context.Context, P interface { Context() context.Context }, T any](c C, p P, v T) {}
`)
	params := pkg.Scope().Lookup("f").Type().(*types.Signature).Params()
	for i, want := range []string{"context", "provider", "nothing"} {
		assertCarrier(t, params.At(i).Type(), want)
	}
}

func check(t *testing.T, src string) *types.Package {
	t.Helper()
	pkg, err := checkSource("p", src)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

func checkSource(path, src string) (*types.Package, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path+".go", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: stubs{}}
	return conf.Check(path, fset, []*ast.File{file}, nil)
}

type stubs struct{}

func (stubs) Import(path string) (*types.Package, error) { return checkSource(path, contextStub) }
