package fix_test

import (
	"fmt"
	"go/ast"
	"go/format"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/txtar"

	"github.com/ctxprop/ctxprop/internal/fix"
)

// TestScripts runs testdata/*.txtar. An archive is a package, where the doc
// comment of a function may hold
//
//	use: EXPR       the context at hand, for every root context in the function
//	detach: EXPR    the same, for the root of each go statement in the function
//	refuse: REASON  that, and part of the error, if there must be no fix
//
// and NAME.golden is file NAME with all fixes applied and formatted. Whatever
// the archive, every fix alone, every pair and all together must compile, which
// gofmt or a driver has no part in.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(script)
			if err != nil {
				t.Fatal(err)
			}
			src, golden := make(source), make(source)
			for _, f := range archive.Files {
				if name, ok := strings.CutSuffix(f.Name, ".golden"); ok {
					golden[name] = string(f.Data)
				} else {
					src[f.Name] = string(f.Data)
				}
			}
			runScript(t, src, golden)
		})
	}
}

func runScript(t *testing.T, src, golden source) {
	pass, err := src.load()
	if err != nil {
		t.Fatalf("the source does not compile: %v", err)
	}
	fixes := buildFixes(t, pass)
	checkSubsets(t, src, pass, fixes)
	fixed, err := src.apply(pass.Fset, fixes...)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range fixed {
		want, ok := golden[name]
		if !ok {
			want = src[name]
		}
		if got := gofmt(t, text); got != gofmt(t, want) {
			t.Errorf("%s with all fixes applied:\n%s\nwant:\n%s", name, got, want)
		}
	}
}

// buildFixes asks for a fix wherever a function has a use directive, checks the
// refusals, and returns the fixes.
func buildFixes(t *testing.T, pass *analysis.Pass) []analysis.SuggestedFix {
	b := fix.NewBuilder(pass)
	var replacements []*fix.Replacement
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			use, refuse := directive(decl, "use"), directive(decl, "refuse")
			if use == "" {
				continue
			}
			expr := exprIn(t, pass, decl, use)
			for _, call := range roots(decl) {
				posn := pass.Fset.Position(call.Pos())
				r, err := b.ReplaceRoot(call, expr)
				switch {
				case err == nil && refuse != "":
					t.Errorf("%s: a fix is offered, want none because %s", posn, refuse)
				case err != nil && refuse == "":
					t.Errorf("%s: no fix: %v", posn, err)
				case err != nil && !strings.Contains(err.Error(), refuse):
					t.Errorf("%s: no fix because %v, want because %s", posn, err, refuse)
				case err == nil:
					replacements = append(replacements, r)
				}
			}
		}
	}
	var fixes []analysis.SuggestedFix
	for _, r := range replacements {
		fixes = append(fixes, r.Fix())
	}
	return append(fixes, buildDetached(t, pass, b)...)
}

// buildDetached does the same for the detach directives.
func buildDetached(t *testing.T, pass *analysis.Pass, b *fix.Builder) []analysis.SuggestedFix {
	var fixes []analysis.SuggestedFix
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			use := directive(decl, "detach")
			if use == "" {
				continue
			}
			refuse := directive(decl, "refuse")
			expr := exprIn(t, pass, decl, use)
			all := callsWhere(decl, func(name string) bool { return name == "Background" || name == "WithoutCancel" })
			for _, g := range goStmts(decl) {
				root := all[0]
				for _, call := range all {
					if g.Pos() <= call.Pos() && call.End() <= g.End() {
						root = call
						break
					}
				}
				f, err := b.BoundDetached(g.Go, root, expr)
				posn := pass.Fset.Position(g.Go)
				switch {
				case err == nil && refuse != "":
					t.Errorf("%s: a fix is offered, want none because %s", posn, refuse)
				case err != nil && (refuse == "" || !strings.Contains(err.Error(), refuse)):
					t.Errorf("%s: no fix because %v, want %q", posn, err, refuse)
				case err == nil:
					fixes = append(fixes, f)
				}
			}
		}
	}
	return fixes
}

func goStmts(decl ast.Decl) []*ast.GoStmt {
	var out []*ast.GoStmt
	ast.Inspect(decl, func(n ast.Node) bool {
		if g, ok := n.(*ast.GoStmt); ok {
			out = append(out, g)
		}
		return true
	})
	return out
}

// directive is what follows NAME: in the doc comment of a declaration, or "".
func directive(decl ast.Decl, name string) string {
	var doc *ast.CommentGroup
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		doc = decl.Doc
	case *ast.GenDecl:
		doc = decl.Doc
	}
	for line := range strings.Lines(doc.Text()) {
		if text, ok := strings.CutPrefix(line, name+": "); ok {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// checkSubsets applies every fix alone, every pair and all together.
func checkSubsets(t *testing.T, src source, pass *analysis.Pass, fixes []analysis.SuggestedFix) {
	t.Helper()
	compiles := func(what string, subset ...analysis.SuggestedFix) {
		t.Helper()
		fixed, err := src.apply(pass.Fset, subset...)
		if err == nil {
			_, err = fixed.load()
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", what, err, fixed.text())
		}
	}
	for i := range fixes {
		compiles(fmt.Sprintf("fix %d alone", i), fixes[i])
		for j := range i {
			compiles(fmt.Sprintf("fixes %d and %d", j, i), fixes[j], fixes[i])
		}
	}
	compiles("all fixes", fixes...)
}

func (src source) text() string {
	var out strings.Builder
	for name, text := range src {
		fmt.Fprintf(&out, "-- %s --\n%s", name, text)
	}
	return out.String()
}

func gofmt(t *testing.T, text string) string {
	t.Helper()
	out, err := format.Source([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return string(out)
}
