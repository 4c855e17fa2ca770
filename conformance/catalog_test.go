package conformance

import (
	"flag"
	"fmt"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/catalog"
)

var update = flag.Bool("update", false, "write symbols.tsv instead of comparing with it")

// listFile holds the lines that passed: line, module, version.
const listFile = "symbols.tsv"

func TestCatalog(t *testing.T) {
	c := catalog.Default()
	v := &verifier{c, libraries(t, c)}
	var list []string
	add := func(line string, pos catalog.Pos, lib *library, err error) {
		if err != nil {
			t.Errorf("%v: %s: %v", pos, line, err)
			return
		}
		list = append(list, fmt.Sprintf("%s\t%s\t%s\n", line, lib.module, lib.version))
	}
	for _, e := range c.Entries() {
		lib, err := v.verify(e)
		add(e.String(), e.Pos, lib, err)
	}
	for _, r := range c.Roots() {
		lib, err := v.root(r)
		add("root "+r.String(), r.Pos, lib, err)
	}
	for _, s := range c.Services() {
		lib, err := v.service(s)
		add("service "+s.String(), s.Pos, lib, err)
	}
	slices.Sort(list)
	checkDerivers(t, v)
	checkClients(t, v)
	compareList(t, strings.Join(list, ""))
}

func compareList(t *testing.T, got string) {
	if *update {
		if t.Failed() {
			return
		}
		if err := os.WriteFile(listFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(listFile)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not what the modules of go.mod give: run go test -update .", listFile)
	}
}

// root checks that the types of a root exist and that it has a context.
func (v *verifier) root(r catalog.Root) (*library, error) {
	if m := r.Method(); m != (catalog.Symbol{}) {
		lib := v.libraries[m.Pkg]
		fn, err := lib.function(m)
		if err != nil {
			return lib, err
		}
		return lib, want(providerParam(fn.Signature()) >= 0, "it takes no context")
	}
	var last *library
	provided := false
	for _, name := range r.Types() {
		lib := v.libraries[name.Pkg]
		if lib == nil || lib.named(name.Name) == nil {
			return nil, fmt.Errorf("there is no type %v", name)
		}
		t := lib.named(name.Name)
		provided = provided || isContext(t) || providesContext(types.NewPointer(t)) || providesContext(t)
		if name.Pkg != "context" {
			last = lib
		}
	}
	return last, want(provided, "none of its types is or provides a context")
}

// service checks that generated code can register with the type.
func (v *verifier) service(s catalog.Service) (*library, error) {
	lib := v.libraries[s.Pkg]
	named := lib.named(s.Name)
	if named == nil {
		return lib, fmt.Errorf("there is no type")
	}
	if types.IsInterface(named) == s.Pointer {
		return lib, fmt.Errorf("an interface is written without *, a struct with it")
	}
	return lib, want(methodNamed(named, "RegisterService") != nil, "it has no method RegisterService")
}

// checkDerivers finds functions of the described packages that return a
// context from a context and that no line describes as doing so: to an
// analysis they are indistinguishable from ones that drop the caller's.
func checkDerivers(t *testing.T, v *verifier) {
	for _, lib := range v.libraries {
		for _, fn := range lib.functions() {
			if !reachable(fn) || !derives(fn.Signature()) {
				continue
			}
			e, _ := v.catalog.Func(fn)
			switch e.Kind {
			case catalog.Derive, catalog.Detach, catalog.Carry:
			default:
				t.Errorf("%v returns a context and has no derive, detach or carry line", fn)
			}
		}
	}
}

func derives(sig *types.Signature) bool {
	if contextParam(sig) < 0 {
		return false
	}
	for v := range sig.Results().Variables() {
		if isContext(v.Type()) {
			return true
		}
	}
	return false
}

// reachable reports whether users can name the function.
func reachable(fn *types.Func) bool {
	if !fn.Exported() || internal(fn.Pkg().Path()) {
		return false
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		return true
	}
	t := types.Unalias(recv.Type())
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	named, ok := t.(*types.Named)
	return ok && named.Obj().Exported()
}

func internal(path string) bool {
	return slices.Contains(strings.Split(path, "/"), "internal")
}

// clients are the types whose every method that takes a context must be
// described, promoted ones included: on them most of a service's waiting is
// done, and new versions add methods.
var clients = []struct{ pkg, name string }{
	{"database/sql", "DB"},
	{"database/sql", "Conn"},
	{"database/sql", "Tx"},
	{"database/sql", "Stmt"},
	{"net", "Dialer"},
	{"net", "Resolver"},
	{"google.golang.org/grpc", "ClientConn"},
	{"google.golang.org/grpc", "ClientConnInterface"},
	{"github.com/jackc/pgx/v4", "Conn"},
	{"github.com/jackc/pgx/v4", "Tx"},
	{"github.com/jackc/pgx/v4/pgxpool", "Pool"},
	{"github.com/jackc/pgx/v4/pgxpool", "Conn"},
	{"github.com/jackc/pgx/v5", "Conn"},
	{"github.com/jackc/pgx/v5", "Tx"},
	{"github.com/jackc/pgx/v5/pgxpool", "Pool"},
	{"github.com/jackc/pgx/v5/pgxpool", "Conn"},
	{"github.com/go-redis/redis/v8", "Client"},
	{"github.com/go-redis/redis/v8", "ClusterClient"},
	{"github.com/go-redis/redis/v8", "Cmdable"},
	{"github.com/go-redis/redis/v8", "Pipeliner"},
	{"github.com/go-redis/redis/v8", "UniversalClient"},
	{"github.com/redis/go-redis/v9", "Client"},
	{"github.com/redis/go-redis/v9", "ClusterClient"},
	{"github.com/redis/go-redis/v9", "Ring"},
	{"github.com/redis/go-redis/v9", "Cmdable"},
	{"github.com/redis/go-redis/v9", "Pipeliner"},
	{"github.com/redis/go-redis/v9", "UniversalClient"},
	{"go.opentelemetry.io/otel/sdk/trace", "TracerProvider"},
	{"go.opentelemetry.io/otel/sdk/metric", "MeterProvider"},
	{"connectrpc.com/connect", "Client"},
	{"golang.org/x/sync/errgroup", "Group"},
	{"golang.org/x/time/rate", "Limiter"},
}

func checkClients(t *testing.T, v *verifier) {
	for _, client := range clients {
		lib := v.libraries[client.pkg]
		if lib == nil || lib.named(client.name) == nil {
			t.Errorf("there is no type %s.%s", client.pkg, client.name)
			continue
		}
		var recv types.Type = lib.named(client.name)
		if !types.IsInterface(recv) {
			recv = types.NewPointer(recv)
		}
		for sel := range types.NewMethodSet(recv).Methods() {
			fn := sel.Obj().(*types.Func)
			if !fn.Exported() {
				continue
			}
			e, ok := v.catalog.Method(recv, fn)
			switch {
			case !ok && contextParam(fn.Signature()) >= 0:
				t.Errorf("no line describes %v", fn)
			case !ok && hasContextSibling(recv, fn.Name()):
				t.Errorf("no line describes %v, although there is a %sContext", fn, fn.Name())
			case ok && client.name == "Pipeliner" && e.Kind == catalog.Block:
				if !slices.Contains([]string{"Exec", "Pipelined", "TxPipelined"}, fn.Name()) {
					t.Errorf("%v only queues and is described as %v", fn, e)
				}
			}
		}
	}
}

func hasContextSibling(recv types.Type, name string) bool {
	return types.NewMethodSet(recv).Lookup(nil, name+"Context") != nil
}
