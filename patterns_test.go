package ctxprop_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ctxprop/ctxprop/analyzers/retrynest"
	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/link"
)

// pattern is one way in which retries meet, with what is found in the function
// that shows it: codes, and for a nest its product and default severity.
type pattern struct {
	number  int
	meaning string
	in      string // function in testdata/src/patterns
	want    string
}

// patterns are numbered 1 to 20. Several of one number are variants, of which
// the silent ones are as important as the others.
var patterns = []pattern{
	{1, "a library's retry in the same library's retry", "server.p01", "CTX301 3×4 = 12 warning"},
	{2, "defaults that nobody has written multiply", "server.p02", "CTX301 3×5 = 15 warning"},
	{3, "an interceptor over the service config of the same client", "single.p03", "CTX301 3×4 = 12 warning"},
	{4, "three services that pass errors on", "front.passes", "CTX301 3×3×3 = 27 error"},
	{4, "the last two of them", "edge.Pass", "CTX301 3×3 = 9 warning"},
	{5, "three services that wrap errors with %w", "front.wraps", "CTX301 3×3×3 = 27 error"},
	{5, "the last two of them", "edge.Wrap", "CTX301 3×3 = 9 warning"},
	{6, "three services that map errors to a code that is not retried", "front.maps", ""},
	{6, "three services that put errors into words", "front.tells", ""},
	{7, "an SDK that retries inside a loop", "server.p07", "CTX301 5×3 = 15 warning, CTX303"},
	{8, "an SDK whose retries are off inside a loop", "aws.p08aws", "CTX303"},
	{8, "a client whose retries are off with -1", "redis.p08redis", ""},
	{9, "a zero that was meant as off and is the default", "single.p09", "CTX301 3×4 = 12 warning, CTX310"},
	{10, "a cluster client whose retries multiply with its redirects", "single.p10", "CTX301 3×16 = 48 error, CTX310"},
	{11, "errors that are no longer marked as ones to retry", "server.p11passed", ""},
	{11, "errors that are marked again", "server.p11marked", "CTX301 3×3 = 9 warning"},
	{12, "a poll whose condition returns the error", "server.p12stops", ""},
	{12, "a poll whose condition keeps the error to itself", "server.p12swallows", "CTX301 5×4 = 20 warning"},
	{13, "one retry under a queue that runs its caller again", "server.Reconcile", ""},
	{13, "a retry on conflicts inside another", "server.p13", "CTX301 5×5 = 25 warning"},
	{14, "a permanent error that the outer layer does not see", "server.p14", "CTX309"},
	{15, "retries one after the other and for each element", "server.p15", ""},
	{16, "a policy that names no service", "server.p16", ""},
	{16, "a policy that names no service, where it is given", "single.newServer", "CTX307"},
	{17, "a retry behind an interface with one implementation", "server.p17", "CTX301 3×3 = 9 warning"},
	{18, "a client that goes on until its context ends, which never does", "single.p18", "CTX301 5×∞, without end error"},
	{18, "the same client with its retries off", "gcs.p18never", ""},
	{19, "services whose connections have a budget for retries", "front.throttled", "CTX301 3×3×3 = 27 info"},
	{19, "the last two of them", "edge.Budget", "CTX301 3×3 = 9 info"},
	{19, "a retry of handing over to a queue whose consumer retries", "server.p19queue", ""},
	{20, "a count that a flag has, in a helper in another package", "server.p20", "CTX301 3×4 = 12 warning"},
	{20, "a poll in a helper, which leaves on an error", "server.p20poll", ""},
}

// TestPatterns: every pattern has its product in the program's view, and no
// function of the program that is not in the table has one.
func TestPatterns(t *testing.T) {
	got := patternsFound(t)
	want := map[string]string{}
	for i, p := range patterns {
		if i > 0 && p.number > patterns[i-1].number+1 || i == 0 && p.number != 1 {
			t.Errorf("no pattern %d", p.number-1)
		}
		want[p.in] = p.want
		if found := strings.Join(got[p.in], ", "); found != p.want {
			t.Errorf("%d, %s (%s): %q, want %q", p.number, p.meaning, p.in, found, p.want)
		}
	}
	if last := patterns[len(patterns)-1].number; last != 20 {
		t.Errorf("the last pattern is %d, want 20", last)
	}
	for in, found := range got {
		if _, ok := want[in]; !ok && strings.Contains(strings.Join(found, ", "), "CTX301") {
			t.Errorf("%s: unexpected %s", in, found)
		}
	}
}

// patternsFound lists what is found in each function of the patterns.
func patternsFound(t *testing.T) map[string][]string {
	t.Helper()
	root, err := filepath.Abs("analyzers/retrynest/testdata")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadSyntax | packages.NeedModule, Fset: fset, Dir: filepath.Join(root, "src"),
		Env: append(os.Environ(), "GO111MODULE=off", "GOWORK=off", "GOPATH="+root, "GOPROXY=off"),
	}, "patterns/...")
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(pkgs) > 0 || len(pkgs) < 5 {
		t.Fatalf("%d packages, and they must build", len(pkgs))
	}
	flow := ctxflow.New(ctxflow.Config{})
	graph, err := checker.Analyze([]*analysis.Analyzer{flow, retrynest.New(flow)}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	add := func(in, text string) {
		if !slices.Contains(got[in], text) {
			got[in] = append(got[in], text)
			slices.Sort(got[in])
		}
	}
	var parts []*link.Package
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatal(act.Err)
		}
		if act.Analyzer == flow {
			parts = append(parts, &link.Package{Flow: act.Result.(*ctxflow.Result), Shown: true})
			continue
		}
		for _, d := range act.Diagnostics { // of configs and counts
			if d.Category == "CTX307" || d.Category == "CTX308" || d.Category == "CTX310" {
				add(functionAt(act.Package, d.Pos), d.Category)
			}
		}
	}
	for _, v := range link.Join(parts) {
		if v.Retry == nil {
			continue
		}
		text := string(v.Code)
		if len(v.Retry.Steady.Factors) > 0 {
			text = fmt.Sprintf("%s %s %s", text, v.Retry.Steady.Factors, v.Retry.Severity)
		}
		add(v.HomeName, text)
	}
	return got
}

// functionAt is the declared function around a position, as findings name it.
func functionAt(pkg *packages.Package, pos token.Pos) string {
	for _, file := range pkg.Syntax {
		for _, decl := range file.Decls {
			if fd, ok := decl.(*ast.FuncDecl); ok && fd.Pos() <= pos && pos < fd.End() {
				if fn, ok := pkg.TypesInfo.Defs[fd.Name].(*types.Func); ok {
					return callee.ShortName(fn)
				}
			}
		}
	}
	return ""
}
