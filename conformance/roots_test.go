package conformance

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/ctxprop/ctxprop/internal/catalog"
)

// root checks that the types of a root exist and that it has a context.
func (v *verifier) root(r catalog.Root) (*library, error) {
	m := r.Method()
	if m == (catalog.Symbol{}) {
		return v.shape(r)
	}
	lib := v.libraries[m.Pkg]
	if lib == nil {
		return nil, fmt.Errorf("there is no package %s", m.Pkg)
	}
	fn, err := lib.function(m)
	if err != nil {
		return lib, err
	}
	if r.Fn != catalog.Deduced {
		return lib, v.argument(fn, r)
	}
	return lib, want(v.providerParam(fn.Signature()) >= 0, "it takes no context")
}

// argument checks that what is given to fn can be a root: a function with a
// context, or any value.
func (v *verifier) argument(fn *types.Func, r catalog.Root) error {
	if r.Fn >= fn.Signature().Params().Len() {
		return fmt.Errorf("it has no parameter %d", r.Fn)
	}
	switch t := fn.Signature().Params().At(r.Fn).Type().Underlying().(type) {
	case *types.Signature:
		return want(v.providerParam(t) >= 0, "the function takes no context")
	case *types.Interface:
		return want(t.Empty() || !t.IsMethodSet(), "the parameter is neither a function nor any value")
	}
	return errors.New("the parameter is neither a function nor any value")
}

func (v *verifier) shape(r catalog.Root) (*library, error) {
	var last *library
	provided := false
	for _, name := range r.Types() {
		lib := v.libraries[name.Pkg]
		if lib == nil {
			return nil, fmt.Errorf("there is no package of %v", name)
		}
		if name.Pkg != "context" {
			last = lib
		}
		if name.Name == "_" {
			continue
		}
		t := lib.named(name.Name)
		if t == nil {
			return nil, fmt.Errorf("there is no type %v", name)
		}
		provided = provided || v.provides(t) || v.provides(types.NewPointer(t))
	}
	return last, want(provided, "none of its types is or provides a context")
}

func (v *verifier) providerParam(sig *types.Signature) int { return paramWhere(sig, v.provides) }

// provides reports whether a value of the type is a context, or can be asked
// for one by its method or as a provider line says.
func (v *verifier) provides(t types.Type) bool {
	if isContext(t) || providesContext(t) || implementsContext(t) {
		return true
	}
	p, ok := v.catalog.Provider(t)
	return ok && p.Expr != ""
}

// provider checks that the type exists, and is what the line says.
func (v *verifier) provider(p catalog.Provider) (*library, error) {
	lib := v.libraries[p.Pkg]
	if lib == nil || lib.named(p.Name) == nil {
		return lib, fmt.Errorf("there is no type %v", p.TypeName)
	}
	var t types.Type = lib.named(p.Name)
	if types.IsInterface(t) == p.Pointer {
		return lib, errors.New("an interface is written without *, a struct with it")
	}
	if p.Pointer {
		t = types.NewPointer(t)
	}
	if p.Deaf != implementsContext(t) {
		return lib, fmt.Errorf("deaf is for what is a context: %t", implementsContext(t))
	}
	if engine, field, ok := strings.Cut(p.Unless, "."); ok && !hasField(lib.named(engine), field) {
		return lib, fmt.Errorf("there is no field %s", p.Unless)
	}
	if p.Expr == "" {
		return lib, nil
	}
	got, err := evaluate(lib.types, t, p.Expr)
	if err != nil {
		return lib, err
	}
	return lib, want(isContext(got), "expr= yields no context")
}

func hasField(t *types.Named, name string) bool {
	if t == nil {
		return false
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if f.Name() == name {
			return true
		}
	}
	return false
}

// evaluate lets the type checker say what an expression of a value of type t is.
func evaluate(pkg *types.Package, t types.Type, expr string) (types.Type, error) {
	in := types.NewPackage(pkg.Path(), pkg.Name())
	in.Scope().Insert(types.NewVar(token.NoPos, in, "x", t))
	tv, err := types.Eval(token.NewFileSet(), in, token.NoPos, "x."+expr)
	return tv.Type, err
}

// service checks that generated code can register with the type. Of the lines
// that name a shape checkServices sees whether generators make such functions.
func (v *verifier) service(s catalog.Service) (*library, error) {
	typ, pointer, short := s.Short()
	if !short {
		return v.generator(s)
	}
	lib := v.libraries[typ.Pkg]
	named := lib.named(typ.Name)
	if named == nil {
		return lib, fmt.Errorf("there is no type")
	}
	if types.IsInterface(named) == pointer {
		return lib, fmt.Errorf("an interface is written without *, a struct with it")
	}
	return lib, want(methodNamed(named, "RegisterService") != nil, "it has no method RegisterService")
}

// generator finds the module that the line is about: that of its types, else
// of the package with an example of what it describes.
func (v *verifier) generator(s catalog.Service) (*library, error) {
	var last *library
	for _, name := range s.Types() {
		if name.Pkg == "_" || name.Pkg == "net/http" {
			continue
		}
		lib := v.libraries[name.Pkg]
		if lib == nil || lib.named(name.Name) == nil {
			return lib, fmt.Errorf("there is no type %v", name)
		}
		last = lib
	}
	if last != nil {
		return last, nil
	}
	for path, module := range generated {
		lib := v.libraries[path]
		if lib == nil {
			return nil, fmt.Errorf("there is no package %s", path)
		}
		if s.Name == module {
			return lib, nil
		}
	}
	return nil, errors.New("no generated package shows it")
}

// generated are packages that generators have made, or that hold a generator's
// templates, and what the methods of their services are.
var generated = map[string]string{
	"github.com/twitchtv/twirp/example":                                          "Twirp method",
	"connectrpc.com/connect/internal/gen/generics/connect/ping/v1/pingv1connect": "connect method",
	"github.com/go-kratos/kratos/v2/api/metadata":                                "Kratos HTTP method",
	"github.com/cloudwego/kitex/internal/mocks/proto/kitex_gen/pbapi/mock":       "Kitex method",
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen":                        "OpenAPI method",
}

// checkServices finds what the service lines describe in generated code, and
// nothing else in it.
func checkServices(t *testing.T, v *verifier) {
	shown := map[string]bool{}
	for path, what := range generated {
		lib := v.libraries[path]
		if lib == nil {
			continue // reported already
		}
		pkg := lib.types
		if what == "OpenAPI method" {
			pkg = strictHandlers(t)
		}
		for _, name := range pkg.Scope().Names() {
			fn, ok := pkg.Scope().Lookup(name).(*types.Func)
			if !ok {
				continue
			}
			iface, method, ok := v.catalog.ServiceInterface(fn)
			if !ok {
				continue
			}
			shown[fn.Name()] = true
			if method != what && method != "gRPC method" {
				t.Errorf("%v registers %v as %s, want %s", fn, iface, method, what)
			}
		}
	}
	for _, name := range []string{
		"NewHaberdasherServer", "NewPingServiceHandler", "RegisterMetadataHTTPServer", "NewServer", "RegisterService",
		"NewStrictHandler", "NewStrictHandlerWithOptions",
	} {
		if !shown[name] {
			t.Errorf("no service line describes the generated function %s", name)
		}
	}
}

// strictHandlers is what the templates of oapi-codegen declare: their functions
// with the types that these name.
func strictHandlers(t *testing.T) *types.Package {
	t.Helper()
	cfg := &packages.Config{Mode: packages.NeedName | packages.NeedFiles}
	pkgs, err := packages.Load(cfg, "github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].GoFiles) == 0 {
		t.Fatalf("%v: %v", pkgs, err)
	}
	template := filepath.Join(filepath.Dir(pkgs[0].GoFiles[0]), "templates", "strict", "strict-http.tmpl")
	text, err := os.ReadFile(template)
	if err != nil {
		t.Fatal(err)
	}
	src := `package api
type StrictServerInterface interface{ List() }
type ServerInterface interface{ List() }
type StrictMiddlewareFunc func()
type StrictHTTPServerOptions struct{}
`
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "func New") {
			src += strings.TrimSpace(line) + "return nil }\n"
		}
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "api.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("api", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}
