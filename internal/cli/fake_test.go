package cli

import (
	"bytes"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
	"golang.org/x/tools/txtar"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// fakeSuite is one analyzer with the interface of the real ones and rules that
// a test can see through: a function that calls context.Background is fresh,
// which its importers learn by a fact, and each call of a fresh function is a
// finding. The fresh function's name chooses the severity.
func fakeSuite([]string, string) []*analysis.Analyzer {
	return []*analysis.Analyzer{{
		Name:       "fake",
		Doc:        "fake: report calls of functions that call context.Background",
		FactTypes:  []analysis.Fact{new(isFresh)},
		ResultType: reflect.TypeFor[[]*finding.Finding](),
		Run:        runFake,
	}}
}

type isFresh struct{}

func (*isFresh) AFact()         {}
func (*isFresh) String() string { return "fresh" }

func runFake(pass *analysis.Pass) (any, error) {
	calls(pass, func(in *types.Func, _ *ast.CallExpr, callee *types.Func) {
		if callee.FullName() == "context.Background" {
			pass.ExportObjectFact(in, new(isFresh))
		}
		if callee.Name() == "panicHere" {
			causePanic()
		}
	})
	var found []*finding.Finding
	ordinals := make(map[finding.Identity]int)
	calls(pass, func(in *types.Func, call *ast.CallExpr, callee *types.Func) {
		if !pass.ImportObjectFact(callee, new(isFresh)) {
			return
		}
		id := finding.Identity{Code: finding.SeveredCallee, Home: in.FullName(), Sink: callee.FullName()}
		ordinals[id]++
		id.Ordinal = ordinals[id] - 1
		found = append(found, &finding.Finding{
			ID:          id,
			Grade:       finding.GradeRequest,
			Severity:    severityByName(callee.Name()),
			Pos:         call.Pos(),
			End:         call.End(),
			Position:    pass.Fset.Position(call.Pos()),
			EndPosition: pass.Fset.Position(call.End()),
			Message:     callee.Name() + " is fresh (CTX102)",
			Fixes:       fixByName(call, callee.Name()),
			Witness:     []finding.Step{{Func: in.Name(), Pos: pass.Fset.Position(call.Pos()), Note: "calls " + callee.Name()}, {Func: "context.Background"}},
		})
	})
	return found, nil
}

func calls(pass *analysis.Pass, do func(in *types.Func, call *ast.CallExpr, callee *types.Func)) {
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if callee, ok := typeutil.Callee(pass.TypesInfo, call).(*types.Func); ok {
					do(pass.TypesInfo.Defs[decl.(*ast.FuncDecl).Name].(*types.Func), call, callee)
				}
				return true
			})
		}
	}
}

// fixByName breaks the code where the function's name asks for it.
func fixByName(call *ast.CallExpr, name string) []analysis.SuggestedFix {
	if !strings.HasSuffix(name, "BadFix") {
		return nil
	}
	edit := analysis.TextEdit{Pos: call.Pos(), End: call.End(), NewText: []byte("missing()")}
	return []analysis.SuggestedFix{{Message: "break it", TextEdits: []analysis.TextEdit{edit}}}
}

func severityByName(name string) finding.Severity {
	switch {
	case strings.HasPrefix(name, "Info"):
		return finding.Info
	case strings.HasPrefix(name, "Warn"):
		return finding.Warning
	}
	return finding.Error
}

func causePanic() {
	var none []int
	_ = none[len(none)]
}

// module writes the files of a txtar archive to a new directory.
func module(t *testing.T, archive string) string {
	t.Helper()
	// The go command prints resolved names, and on some systems the
	// temporary directory is a link.
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// outcome is what a run of the command leaves behind.
type outcome struct {
	code           int
	stdout, stderr string
}

// run runs the command with the fake suite.
func run(t *testing.T, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := &process{env: os.Environ(), stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, suite: fakeSuite}
	code := exitCode(p.run(t.Context(), args), &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// runIn runs check in a directory.
func runIn(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	return run(t, append([]string{"check", "-C", dir}, args...)...)
}
