package conformance

import (
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/catalog"
)

// checkDerivers finds functions of the described packages that return a
// context from a context and that no line describes as doing so: to an
// analysis they are indistinguishable from ones that drop the caller's.
func checkDerivers(t *testing.T, v *verifier) {
	for _, lib := range v.described() {
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

// checkDefaults finds functions of the described packages whose signature
// alone would make them blocking, a context first and an error last, and that
// no line describes: in a library that is known nothing is left to the default.
func checkDefaults(t *testing.T, v *verifier) {
	for _, lib := range v.described() {
		for _, fn := range lib.functions() {
			if _, ok := v.catalog.Func(fn); !ok && reachable(fn) && blocksByDefault(fn.Signature()) {
				t.Errorf("no line describes %v", fn)
			}
		}
	}
}

// described lists the libraries of whose functions the catalog speaks. Others
// are there for the types that roots name.
func (v *verifier) described() []*library {
	var list []*library
	for path, lib := range v.libraries {
		if v.catalog.HasPackage(path) {
			list = append(list, lib)
		}
	}
	return list
}

func blocksByDefault(sig *types.Signature) bool {
	n := sig.Results().Len()
	return contextParam(sig) == 0 && n > 0 && types.TypeString(sig.Results().At(n-1).Type(), nil) == "error"
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
