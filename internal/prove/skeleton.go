package prove

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ctxprop/ctxprop/internal/catalog"
)

// Skeleton is the source of a saturation test for a gRPC service.
type Skeleton struct {
	File   string // absolute
	Source []byte
}

// service is a type that implements the server interface of a generated
// package.
type service struct {
	pkg   *packages.Package
	impl  *types.TypeName
	api   *types.Package // the generated package
	name  string         // of the service: X of RegisterXServer
	calls []call
}

// call is a method of the generated client.
type call struct {
	name    string
	request string // the name of the request's type in the generated package, or "" if the call begins with none
	shape   shape
}

type shape int

const (
	unary shape = iota
	serverStream
	clientStream
	bidiStream
)

// Skeletons returns a test for every service that a package implements.
func Skeletons(c *catalog.Catalog, pkgs []*packages.Package) ([]Skeleton, error) {
	var out []Skeleton
	for _, pkg := range pkgs {
		for _, s := range servicesOf(c, pkg) {
			source, err := s.source()
			if err != nil {
				return nil, fmt.Errorf("%s.%s: %v", pkg.PkgPath, s.impl.Name(), err)
			}
			name := strings.ToLower(s.name) + "_saturate_test.go"
			out = append(out, Skeleton{filepath.Join(pkg.Dir, name), source})
		}
	}
	return out, nil
}

// WriteSkeletons writes the tests, none of them if one is there already.
func WriteSkeletons(tests []Skeleton) error {
	var written []string
	for _, t := range tests {
		f, err := os.OpenFile(t.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			written = append(written, t.File)
			_, err = f.Write(t.Source)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			for _, name := range written {
				_ = os.Remove(name)
			}
			if errors.Is(err, os.ErrExist) {
				return fmt.Errorf("%s is there already; nothing was written", t.File)
			}
			return fmt.Errorf("%v; nothing was written", err)
		}
	}
	return nil
}

func servicesOf(c *catalog.Catalog, pkg *packages.Package) []*service {
	var out []*service
	for _, api := range pkg.Types.Imports() {
		for _, name := range api.Scope().Names() {
			register, ok := api.Scope().Lookup(name).(*types.Func)
			if !ok {
				continue
			}
			iface, kind, ok := c.ServiceInterface(register)
			if !ok || kind != catalog.GRPCMethod {
				continue
			}
			impl := implementation(pkg.Types, iface)
			if impl == nil {
				continue
			}
			s := &service{pkg: pkg, impl: impl, api: api, name: strings.TrimSuffix(strings.TrimPrefix(name, "Register"), "Server")}
			if s.calls = s.clientCalls(impl); len(s.calls) > 0 {
				out = append(out, s)
			}
		}
	}
	return out
}

// implementation is the first type of the package that implements the interface
// with methods of its own.
func implementation(pkg *types.Package, iface *types.Named) *types.TypeName {
	for _, name := range pkg.Scope().Names() {
		tn, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
			continue
		}
		named, ok := tn.Type().(*types.Named)
		if ok && named.TypeParams().Len() == 0 && named.NumMethods() > 0 && types.Implements(types.NewPointer(named), iface.Underlying().(*types.Interface)) {
			return tn
		}
	}
	return nil
}

// clientCalls lists the methods of the generated client that the type declares
// itself: those that it inherits answer that they are not implemented.
func (s *service) clientCalls(impl *types.TypeName) []call {
	client, ok := s.api.Scope().Lookup(s.name + "Client").(*types.TypeName)
	if !ok || s.api.Scope().Lookup("New"+s.name+"Client") == nil {
		return nil
	}
	iface, ok := client.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var calls []call
	for m := range iface.Methods() {
		_, index, _ := types.LookupFieldOrMethod(impl.Type(), true, impl.Pkg(), m.Name())
		if len(index) != 1 {
			continue
		}
		if c, ok := s.callOf(m); ok {
			calls = append(calls, c)
		}
	}
	slices.SortFunc(calls, func(a, b call) int { return strings.Compare(a.name, b.name) })
	return calls
}

// callOf reads the signature (ctx, request, opts) (response or stream, error), in
// which a stream of the client has no request.
func (s *service) callOf(m *types.Func) (call, bool) {
	sig := m.Signature()
	c := call{name: m.Name()}
	if sig.Results().Len() != 2 || sig.Params().Len() < 2 {
		return c, false
	}
	if sig.Params().Len() == 3 {
		ptr, ok := types.Unalias(sig.Params().At(1).Type()).(*types.Pointer)
		if !ok {
			return c, false
		}
		named, ok := types.Unalias(ptr.Elem()).(*types.Named)
		if !ok || named.Obj().Pkg() == nil {
			return c, false
		}
		if named.Obj().Pkg() != s.api {
			return c, false // a message of another package: its import is the user's to add
		}
		c.request = named.Obj().Name()
	}
	result := sig.Results().At(0).Type()
	has := func(name string) bool {
		obj, _, _ := types.LookupFieldOrMethod(result, true, s.api, name)
		_, ok := obj.(*types.Func)
		return ok
	}
	switch {
	case has("CloseAndRecv"):
		c.shape = clientStream
	case has("Recv") && has("Send"):
		c.shape = bidiStream
	case has("Recv"):
		c.shape = serverStream
	}
	return c, true
}

// imports that every skeleton has, by name.
var skeletonImports = [][2]string{
	{"context", "context"},
	{"testing", "testing"},
	{"time", "time"},
	{"grpc", "google.golang.org/grpc"},
	{"saturate", saturatePath},
}

func (s *service) source() ([]byte, error) {
	api := s.apiName()
	for _, im := range skeletonImports {
		if s.pkg.Types.Scope().Lookup(im[0]) != nil {
			return nil, fmt.Errorf("the package declares %s, which a test needs for %s; write the test by hand", im[0], im[1])
		}
	}
	streams := slices.ContainsFunc(s.calls, func(c call) bool { return c.shape == serverStream || c.shape == bidiStream })
	var b bytes.Buffer
	fmt.Fprintf(&b, "//go:build %s\n\npackage %s\n\nimport (\n\t\"context\"\n", BuildTag, s.pkg.Name)
	if streams {
		b.WriteString("\t\"errors\"\n\t\"io\"\n")
	}
	b.WriteString("\t\"testing\"\n\t\"time\"\n\n\t\"google.golang.org/grpc\"\n\n")
	alias := api + " "
	if api == s.api.Name() && api == path.Base(s.api.Path()) {
		alias = ""
	}
	fmt.Fprintf(&b, "\t\"%s\"\n\t%s\"%s\"\n)\n", saturatePath, alias, s.api.Path())
	scenario := strings.ToLower(s.name[:1]) + s.name[1:] + "Scenario"
	fmt.Fprintf(&b, `
// %[1]s is the service under half of the load that its dependency can
// bear, and a spike of six times that.
func %[1]s(call func(ctx context.Context, client %[2]s.%[3]sClient) error) saturate.Scenario {
	return saturate.Scenario{
		Register: func(s grpc.ServiceRegistrar, d *saturate.Deps) {
			// Put what the service waits for behind the harness: d.DB or d.Wrap
			// for SQL, d.Conn for gRPC, d.Transport for HTTP, d.Do and d.Acquire
			// for a fake of your own.
			%[2]s.Register%[3]sServer(s, %[4]s)
		},
		Call: func(ctx context.Context, cc grpc.ClientConnInterface) error {
			return call(ctx, %[2]s.New%[3]sClient(cc))
		},
		Deadline: 300 * time.Millisecond, // what callers wait for
		Retry:    saturate.Retry{MaxAttempts: 3},
	}
}
`, scenario, api, s.name, s.construct())
	for _, c := range s.calls {
		fmt.Fprintf(&b, "\nfunc Test%s%sSaturated(t *testing.T) {\n\tsaturate.Test(t, %s(func(ctx context.Context, client %s.%sClient) error {\n%s\t}))\n}\n",
			s.name, c.name, scenario, api, s.name, c.body(api))
	}
	return format.Source(b.Bytes())
}

// apiName is the name under which the test imports the generated package.
func (s *service) apiName() string {
	name := s.api.Name()
	taken := func(name string) bool {
		return s.pkg.Types.Scope().Lookup(name) != nil || name == "errors" || name == "io" ||
			slices.ContainsFunc(skeletonImports, func(im [2]string) bool { return im[0] == name })
	}
	for taken(name) {
		name += "pb"
	}
	return name
}

// construct makes the service, by a constructor of the package whose parameters
// the harness can give, or as a zero value.
func (s *service) construct() string {
	for _, name := range s.pkg.Types.Scope().Names() {
		fn, ok := s.pkg.Types.Scope().Lookup(name).(*types.Func)
		if !ok || !strings.HasPrefix(strings.ToLower(name), "new") || fn.Signature().TypeParams().Len() > 0 || fn.Signature().Variadic() {
			continue
		}
		results := fn.Signature().Results()
		if results.Len() != 1 || !types.Identical(results.At(0).Type(), types.NewPointer(s.impl.Type())) {
			continue
		}
		if args, ok := harnessArgs(fn.Signature().Params()); ok {
			return name + "(" + args + ")"
		}
	}
	return "new(" + s.impl.Name() + ")"
}

// harnessArgs are what stands for dependencies of known types.
func harnessArgs(params *types.Tuple) (string, bool) {
	var args []string
	for i := range params.Len() {
		switch types.TypeString(types.Unalias(params.At(i).Type()), nil) {
		case "*database/sql.DB":
			args = append(args, "d.DB()")
		case "google.golang.org/grpc.ClientConnInterface":
			args = append(args, "d.Conn()")
		case "net/http.RoundTripper":
			args = append(args, "d.Transport()")
		default:
			return "", false
		}
	}
	return strings.Join(args, ", "), true
}

// body makes the call and reads what it answers to the end.
func (c call) body(api string) string {
	args := "ctx"
	if c.request != "" {
		args += ", new(" + api + "." + c.request + ")"
	}
	call := "client." + c.name + "(" + args + ")"
	if c.shape == unary {
		return "\t\t_, err := " + call + "\n\t\treturn err\n"
	}
	text := "\t\tstream, err := " + call + "\n\t\tif err != nil {\n\t\t\treturn err\n\t\t}\n"
	switch c.shape {
	case clientStream:
		return text + "\t\t_, err = stream.CloseAndRecv()\n\t\treturn err\n"
	case bidiStream:
		text += "\t\tif err := stream.CloseSend(); err != nil {\n\t\t\treturn err\n\t\t}\n"
	}
	return text + "\t\tfor {\n\t\t\tif _, err := stream.Recv(); errors.Is(err, io.EOF) {\n\t\t\t\treturn nil\n\t\t\t} else if err != nil {\n\t\t\t\treturn err\n\t\t\t}\n\t\t}\n"
}
