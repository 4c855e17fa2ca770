package link_test

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/link"
)

// TestJoin joins the programs in testdata. Their comments say what is found
// at a line: "pass:" by the package's own pass, "join:" once the packages are
// joined, as findings below prints it.
func TestJoin(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no programs in testdata: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			prog := load(t, archive)
			pkgs := prog.analyze(t)
			compare(t, "pass", prog.ofPasses(pkgs), marks(archive, "pass"))
			compare(t, "join", prog.joined(pkgs), marks(archive, "join"))
		})
	}
}

// TestShown joins a program of which not all packages are to be shown: a
// finding shows with its home, or with a package that has a caller of it.
func TestShown(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/homes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	prog := load(t, archive)
	for _, test := range []struct {
		shown string
		homes []string // files with findings
	}{
		{"", nil},
		{"example.com/app/store", []string{"store/store.go"}},
		{"example.com/app/web", []string{"store/store.go"}},
		{"example.com/app/api", []string{"api/api.go", "store/store.go"}},
		{"example.com/app/mid", nil}, // passes on and has no context
	} {
		pkgs := prog.analyze(t)
		for i, p := range prog.pkgs {
			pkgs[i].Shown = p.PkgPath == test.shown
		}
		var homes []string
		for _, v := range link.Join(pkgs) {
			homes = append(homes, prog.file(v.Pos))
		}
		slices.Sort(homes)
		if homes = slices.Compact(homes); !slices.Equal(homes, test.homes) {
			t.Errorf("with %q shown, findings are in %v, want %v", test.shown, homes, test.homes)
		}
	}
}

// TestOrder joins the packages of each program in the opposite order: only the
// order of the findings may follow that of the packages.
func TestOrder(t *testing.T) {
	for _, name := range []string{"testdata/homes.txtar", "testdata/interfaces.txtar"} {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		prog := load(t, archive)
		pkgs := prog.analyze(t)
		want := prog.joined(pkgs)
		pkgs = prog.analyze(t)
		slices.Reverse(pkgs)
		compare(t, name, prog.joined(pkgs), want)
	}
}

// TestManyEntries joins a program with more handlers than a finding lists, which
// come to the loss on ways of their own.
func TestManyEntries(t *testing.T) {
	const handlers = 30
	archive := txtar.Parse([]byte(`-- go.mod --
module example.com/app

go 1.26
-- store/store.go --
package store

import "context"

type Driver interface {
	Query(ctx context.Context, q string) error
}

func Own(ctx context.Context, d Driver) error { return d.Query(context.Background(), "own") }
-- web/web.go --
package web

import (
	"context"
	"net/http"

	"example.com/app/store"
)

func shared(ctx context.Context, d store.Driver) error { return below(ctx, d) }

func below(ctx context.Context, d store.Driver) error { return store.Own(ctx, d) }
`))
	web := &archive.Files[len(archive.Files)-1]
	for i := range handlers {
		web.Data = fmt.Appendf(web.Data, `
func own%d(ctx context.Context) error { return shared(ctx, nil) }

func get%[1]d(w http.ResponseWriter, r *http.Request) { _ = own%[1]d(r.Context()) }
`, i)
	}
	vs := link.Join(load(t, archive).analyze(t))
	if len(vs) != 1 {
		t.Fatalf("%d findings, want 1", len(vs))
	}
	if n := len(vs[0].Entries); n != 20 || vs[0].Grade != finding.GradeRequest {
		t.Errorf("%d entry points at grade %s, want 20 of %d at grade R", n, vs[0].Grade, handlers)
	}
}

// program is a module of its own, loaded from files as the command loads it.
type program struct {
	dir  string
	fset *token.FileSet
	pkgs []*packages.Package
}

func load(t *testing.T, archive *txtar.Archive) *program {
	t.Helper()
	prog := &program{dir: t.TempDir(), fset: token.NewFileSet()}
	fsys, err := txtar.FS(archive)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(prog.dir, fsys); err != nil {
		t.Fatal(err)
	}
	prog.pkgs, err = packages.Load(&packages.Config{
		Mode: packages.LoadSyntax | packages.NeedModule,
		Dir:  prog.dir,
		Fset: prog.fset,
		Env:  append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off"),
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(prog.pkgs) > 0 {
		t.Fatal("the program does not build")
	}
	return prog
}

// analyze runs ctxflow over the packages. Joining writes to its results, so
// each join needs new ones.
func (p *program) analyze(t *testing.T) []*link.Package {
	t.Helper()
	flow := ctxflow.New(ctxflow.Config{})
	graph, err := checker.Analyze([]*analysis.Analyzer{flow}, p.pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	results := map[*packages.Package]*ctxflow.Result{}
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatal(act.Err)
		}
		results[act.Package] = act.Result.(*ctxflow.Result)
	}
	var pkgs []*link.Package
	for _, pkg := range p.pkgs {
		pkgs = append(pkgs, &link.Package{Flow: results[pkg], Shown: true})
	}
	return pkgs
}

// ofPasses lists what the passes found, as "file:line CODE GRADE".
func (p *program) ofPasses(pkgs []*link.Package) []string {
	var out []string
	for _, pkg := range pkgs {
		for _, v := range pkg.Flow.Verdicts {
			out = append(out, fmt.Sprintf("%s %s %s", p.place(v.Pos), v.Code, v.Grade))
		}
	}
	return out
}

// joined lists what the program has, as
// "file:line CODE GRADE from ENTRY POINTS through CALLERS", where a severed
// callee's callers come with their grades. A directive that has suppressed
// nothing is listed too.
func (p *program) joined(pkgs []*link.Package) []string {
	var out []string
	for _, v := range link.Join(pkgs) {
		text := fmt.Sprintf("%s %s %s", p.place(v.Pos), v.Code, v.Grade)
		if len(v.Entries) > 0 {
			text += " from " + strings.Join(v.Entries, ", ")
		}
		var callers []string
		for _, c := range v.Closers {
			callers = append(callers, fmt.Sprintf("%s(%s)", c.Name, c.Grade))
		}
		if callers != nil {
			text += " through " + strings.Join(callers, ", ")
		}
		out = append(out, text)
	}
	for _, pkg := range pkgs {
		if d := pkg.Flow.Directives; d != nil {
			for _, problem := range d.Problems("ctxbackground", true) {
				out = append(out, fmt.Sprintf("%s %s", p.place(problem.Pos), finding.BadDirective))
			}
		}
	}
	return out
}

func (p *program) place(pos token.Pos) string {
	return fmt.Sprintf("%s:%d", p.file(pos), p.fset.Position(pos).Line)
}

func (p *program) file(pos token.Pos) string {
	rel, err := filepath.Rel(p.dir, p.fset.Position(pos).Filename)
	if err != nil {
		return err.Error()
	}
	return filepath.ToSlash(rel)
}

// marks lists what follows "// VERB: " in comments, as "file:line TEXT". A
// line has at most one mark of each verb.
func marks(archive *txtar.Archive, verb string) []string {
	var out []string
	for _, f := range archive.Files {
		line := 0
		for l := range strings.Lines(string(f.Data)) {
			line++
			if _, text, ok := strings.Cut(l, "// "+verb+": "); ok {
				text, _, _ = strings.Cut(text, " // ")
				out = append(out, fmt.Sprintf("%s:%d %s", f.Name, line, strings.TrimSpace(text)))
			}
		}
	}
	return out
}

// compare reports what one list has and the other has not, repeats included.
func compare(t *testing.T, what string, got, want []string) {
	t.Helper()
	rest := slices.Clone(want)
	for _, g := range got {
		if i := slices.Index(rest, g); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		} else {
			t.Errorf("%s: unexpected: %s", what, g)
		}
	}
	for _, w := range rest {
		t.Errorf("%s: missing: %s", what, w)
	}
}
