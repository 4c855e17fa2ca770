package conformance

import (
	"flag"
	"fmt"
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
	for _, p := range c.Providers() {
		lib, err := v.provider(p)
		add("provider "+p.String(), p.Pos, lib, err)
	}
	slices.Sort(list)
	checkDerivers(t, v)
	checkDefaults(t, v)
	checkClients(t, v)
	checkRefusals(t, v)
	checkRootRefusals(t, v)
	checkServices(t, v)
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
