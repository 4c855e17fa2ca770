package ctxflow

import (
	"reflect"
	"testing"
)

// TestResultHoldsNoSSA: the results of all packages are kept until the program
// is joined, and their SSA would be several times as large.
func TestResultHoldsNoSSA(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(path string, typ reflect.Type)
	walk = func(path string, typ reflect.Type) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		if typ.PkgPath() == "golang.org/x/tools/go/ssa" || typ == reflect.TypeFor[function]() || typ == reflect.TypeFor[engine]() {
			t.Errorf("%s is a %s", path, typ)
			return
		}
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
			walk(path, typ.Elem())
		case reflect.Map:
			walk(path, typ.Key())
			walk(path, typ.Elem())
		case reflect.Struct:
			for f := range typ.Fields() {
				walk(path+"."+f.Name, f.Type)
			}
		}
	}
	walk("Result", reflect.TypeFor[Result]())
	if len(seen) < 10 {
		t.Errorf("only %d types", len(seen))
	}
}
