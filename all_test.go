package ctxprop_test

import (
	"encoding/json"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop"
)

const modulePath = "github.com/ctxprop/ctxprop"

// layers orders the packages of the module from the bottom up: a package may
// import those of earlier lines only. Those of one line are siblings, which
// do not know each other; that holds for the analyzers above all, which share
// what they need through ctxflow.
var layers = [][]string{
	{"internal/fix", "internal/git", "internal/callee", "internal/loops", "internal/spell", "internal/rewrite", "internal/retry/retrytest", "internal/guard", "internal/proxytest"},
	{"internal/finding"},
	{"internal/catalog", "internal/fix/fixtest", "internal/retry"},
	{"internal/provenance", "internal/errflow", "internal/prove", "internal/dialopt", "internal/configfile"},
	{"internal/request"},
	{"internal/ctxflow"},
	{"analyzers/*", "internal/link"},
	{"internal/thread", "internal/retrygraph"},
	{".", "internal/gate"}, // the suite
	{"internal/cli", "golangci"},
	{"cmd/*"},
}

// modules may be required by go.mod. Whoever imports the suite downloads
// them, so a new one needs a good reason. What needs gRPC, drivers or SDKs is
// in a nested module.
var modules = []string{
	"github.com/golangci/plugin-module-register", // a map of constructors; in golangci only
	"github.com/rogpeppe/go-internal",            // testscript, in tests only
	"golang.org/x/mod",                           // the module paths in go.mod files; module zips, in tests
	"go.yaml.in/yaml/v3",                         // the configuration file; nothing that the suite imports
	"golang.org/x/tools",
	"honnef.co/go/tools", // analysis/dfa/dense, and staticcheck as a tool
}

// shipped may be linked into the command and into whatever imports the suite.
var shipped = []string{modulePath, "go.yaml.in/yaml/v3", "golang.org/x/mod", "golang.org/x/sync", "golang.org/x/tools", "honnef.co/go/tools"}

func layerOf(t *testing.T, importPath string) int {
	t.Helper()
	rel := "."
	if importPath != modulePath {
		rel = strings.TrimPrefix(importPath, modulePath+"/")
	}
	layer := slices.IndexFunc(layers, func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool {
			ok, err := path.Match(p, rel)
			return err == nil && ok
		})
	})
	if layer < 0 {
		t.Errorf("%s is in no layer: say in all_test.go what it may build upon", rel)
	}
	return layer
}

func TestDependenciesPointDownwards(t *testing.T) {
	for _, line := range goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...") {
		fields := strings.Fields(line)
		layer := layerOf(t, fields[0])
		for _, imp := range fields[1:] {
			if !ours(imp) {
				continue
			}
			if below := layerOf(t, imp); below >= layer {
				t.Errorf("%s imports %s, which is not below it", fields[0], imp)
			}
		}
	}
}

func ours(importPath string) bool {
	return importPath == modulePath || strings.HasPrefix(importPath, modulePath+"/")
}

func TestRequiredModules(t *testing.T) {
	out, err := exec.Command("go", "mod", "edit", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
		Replace []any
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	for _, r := range mod.Require {
		if !r.Indirect && !slices.Contains(modules, r.Path) {
			t.Errorf("go.mod requires %s, which all_test.go does not allow", r.Path)
		}
	}
	if mod.Replace != nil {
		t.Error("go.mod has a replace directive, with which go install …@version fails")
	}
}

func TestShippedModules(t *testing.T) {
	for _, m := range goList(t, "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./cmd/...") {
		if !slices.Contains(shipped, m) {
			t.Errorf("the command links %s, which all_test.go does not allow", m)
		}
	}
}

// goList returns the distinct lines that go list prints.
func goList(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", strings.Join(args, " "), err)
	}
	lines := slices.DeleteFunc(strings.Split(string(out), "\n"), func(l string) bool { return l == "" })
	slices.Sort(lines)
	return slices.Compact(lines)
}

func TestSuiteIsValid(t *testing.T) {
	if err := analysis.Validate(ctxprop.Suite); err != nil {
		t.Error(err)
	}
	for _, a := range ctxprop.Suite {
		if a.URL == "" {
			t.Errorf("%s has no URL", a.Name)
		}
	}
}
