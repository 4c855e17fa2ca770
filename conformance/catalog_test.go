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
	checkDefaults(t, v)
	checkClients(t, v)
	checkRefusals(t, v)
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
