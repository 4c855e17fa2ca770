package conformance

import (
	"go/types"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/ctxprop/ctxprop/internal/dialopt"
)

// notRequired are modules that this one does not need for anything else; what
// is said of them was read in their source.
var notRequired = map[string]bool{
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc": true, // WithServiceConfig in v1.47
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc":       true, // WithServiceConfig in v0.23
}

// TestServiceConfigSinks: the functions that take a service config are there,
// and take it as their first argument.
func TestServiceConfigSinks(t *testing.T) {
	for _, sink := range dialopt.Sinks() {
		if notRequired[sink.Pkg] {
			continue
		}
		loaded, err := packages.Load(&packages.Config{Mode: packages.NeedTypes | packages.NeedName}, sink.Pkg)
		if err != nil || len(loaded) != 1 || len(loaded[0].Errors) > 0 {
			t.Errorf("%s: %v, %v", sink.Pkg, err, loaded)
			continue
		}
		scope := loaded[0].Types.Scope()
		obj := scope.Lookup(sink.Func)
		if sink.Type != "" {
			obj, _, _ = types.LookupFieldOrMethod(scope.Lookup(sink.Type).Type(), true, loaded[0].Types, sink.Func)
		}
		fn, ok := obj.(*types.Func)
		if !ok || fn.FullName() != sink.String() || fn.Signature().Params().At(0).Type() != types.Typ[types.String] {
			t.Errorf("%s is %v", sink, obj)
		}
	}
}
