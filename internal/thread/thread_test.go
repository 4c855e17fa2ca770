package thread_test

import (
	"flag"
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
	"github.com/ctxprop/ctxprop/internal/fix"
	"github.com/ctxprop/ctxprop/internal/link"
	"github.com/ctxprop/ctxprop/internal/thread"
)

var update = flag.Bool("update", false, "write testdata/chains.golden instead of comparing with it")

// TestThread threads contexts through the programs in testdata. Their comments
// at the roots say what comes of it: "takes:" the functions that are given a
// parameter, "refused:" the beginning of the reason.
func TestThread(t *testing.T) {
	for _, name := range []string{"chains", "refused"} {
		t.Run(name, func(t *testing.T) {
			prog := load(t, name, nil)
			var got []string
			for _, v := range prog.severed() {
				chain, err := prog.threads.Thread(v)
				text := "takes: "
				if err == nil {
					text += strings.Join(chain.Names, ", ")
				} else {
					text = "refused: " + err.Error()
				}
				got = append(got, prog.place(v.Pos)+" "+text)
			}
			compare(t, got, marks(t, name))
		})
	}
}

// compare takes a wanted refusal for the beginning of the reason.
func compare(t *testing.T, got, want []string) {
	t.Helper()
	rest := slices.Clone(want)
	for _, g := range got {
		i := slices.IndexFunc(rest, func(w string) bool {
			return g == w || strings.Contains(w, " refused: ") && strings.HasPrefix(g, w)
		})
		if i < 0 {
			t.Errorf("unexpected: %s", g)
			continue
		}
		rest = slices.Delete(rest, i, i+1)
	}
	for _, w := range rest {
		t.Errorf("missing: %s", w)
	}
}

// TestEdits compares what all chains make of a program with what is meant.
func TestEdits(t *testing.T) {
	prog := load(t, "chains", nil)
	var edits []fix.Edit
	for _, v := range prog.severed() {
		edits = append(edits, prog.thread(t, v).Edits...)
	}
	changed := prog.apply(t, edits)
	want, err := txtar.ParseFile("testdata/chains.golden")
	if err != nil {
		t.Fatal(err)
	}
	got := &txtar.Archive{Comment: want.Comment}
	for _, f := range prog.archive.Files {
		if text, ok := changed[filepath.Join(prog.dir, filepath.FromSlash(f.Name))]; ok {
			got.Files = append(got.Files, txtar.File{Name: f.Name, Data: []byte(text)})
		}
	}
	if *update {
		if err := os.WriteFile("testdata/chains.golden", txtar.Format(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if string(txtar.Format(got)) != string(txtar.Format(want)) {
		t.Errorf("got\n%s", txtar.Format(got))
	}
}

// TestSubsets applies subsets of the chains: each alone, all but each, and all.
// Whatever is left out, the result compiles, and the findings of what is in
// have gone.
func TestSubsets(t *testing.T) {
	prog := load(t, "chains", nil)
	vs := prog.severed()
	subsets := [][]int{nil}
	for i := range vs {
		subsets[0] = append(subsets[0], i)
		subsets = append(subsets, []int{i})
		var others []int
		for j := range vs {
			if j != i {
				others = append(others, j)
			}
		}
		subsets = append(subsets, others)
	}
	if testing.Short() {
		subsets = subsets[:3]
	}
	for _, subset := range subsets {
		t.Run(fmt.Sprint(subset), func(t *testing.T) {
			var edits []fix.Edit
			takes := make(map[string]bool)
			for _, i := range subset {
				chain := prog.thread(t, vs[i])
				edits = append(edits, chain.Edits...)
				for _, home := range chain.Homes {
					takes[home] = true
				}
			}
			left := 0
			for _, v := range vs {
				if !takes[v.Home] {
					left++
				}
			}
			after := load(t, "chains", prog.apply(t, edits))
			for _, v := range after.severed() {
				if takes[v.Home] {
					t.Errorf("%v is still found", v.ID())
				}
			}
			if got, want := len(after.severed()), left; got != want {
				t.Errorf("%d findings are left, want %d", got, want)
			}
			if got, want := after.others(), prog.others(); got != want {
				t.Errorf("there are %d other findings, want %d", got, want)
			}
		})
	}
}

// program is a loaded archive with its verdicts.
type program struct {
	archive  *txtar.Archive
	dir      string
	fset     *token.FileSet
	verdicts []*ctxflow.Verdict
	threads  *thread.Program
}

// load loads the program of an archive, with some of its files changed, by
// their names in the directory that an earlier load had.
func load(t *testing.T, name string, changed map[string]string) *program {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := &program{archive: archive, dir: t.TempDir(), fset: token.NewFileSet()}
	for _, f := range archive.Files {
		text := string(f.Data)
		for name, new := range changed {
			if strings.HasSuffix(filepath.ToSlash(name), "/"+f.Name) && filepath.Base(name) == filepath.Base(f.Name) {
				text = new
			}
		}
		file := filepath.Join(p.dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p.analyse(t)
	return p
}

func (p *program) analyse(t *testing.T) {
	t.Helper()
	cfg := &packages.Config{
		Mode: packages.LoadSyntax | packages.NeedModule | packages.NeedForTest,
		Dir:  p.dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off"), Fset: p.fset, Tests: true,
	}
	pkgs, err := packages.Load(cfg, "./...")
	if err != nil {
		t.Fatal(err)
	}
	pkgs = slices.DeleteFunc(pkgs, func(p *packages.Package) bool { return strings.HasSuffix(p.ID, ".test") })
	slices.SortFunc(pkgs, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	for _, pkg := range pkgs {
		for _, e := range pkg.Errors {
			t.Fatal(e)
		}
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{ctxflow.New(ctxflow.Config{})}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	flows := make(map[*packages.Package]*ctxflow.Result)
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatal(act.Err)
		}
		flows[act.Package] = act.Result.(*ctxflow.Result)
	}
	var linked []*link.Package
	for _, pkg := range pkgs {
		if pkg.ForTest == "" {
			linked = append(linked, &link.Package{Flow: flows[pkg], Shown: true})
		}
	}
	p.verdicts = link.Join(linked)
	p.threads = thread.New(p.fset, pkgs, link.NewCallers(linked), p.verdicts, thread.Options{Dir: p.dir})
}

func (p *program) severed() []*ctxflow.Verdict {
	return slices.DeleteFunc(slices.Clone(p.verdicts), func(v *ctxflow.Verdict) bool { return v.Code != finding.SeveredCallee })
}

// others counts the verdicts that could take the place of a severed callee's.
func (p *program) others() int { return len(p.verdicts) - len(p.severed()) }

func (p *program) thread(t *testing.T, v *ctxflow.Verdict) *thread.Chain {
	t.Helper()
	chain, err := p.threads.Thread(v)
	if err != nil {
		t.Fatalf("%s: %v", p.place(v.Pos), err)
	}
	return chain
}

func (p *program) apply(t *testing.T, edits []fix.Edit) map[string]string {
	t.Helper()
	old := make(map[string]string)
	for _, e := range edits {
		text, err := os.ReadFile(e.File)
		if err != nil {
			t.Fatal(err)
		}
		old[e.File] = string(text)
	}
	changed, err := fix.ApplyEdits(old, edits)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// place is dir/file.go:line.
func (p *program) place(pos token.Pos) string {
	at := p.fset.Position(pos)
	name, err := filepath.Rel(p.dir, at.Filename)
	if err != nil {
		return at.String()
	}
	return fmt.Sprintf("%s:%d", filepath.ToSlash(name), at.Line)
}

// marks lists the comments of an archive.
func marks(t *testing.T, name string) []string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range archive.Files {
		n := 0
		for l := range strings.Lines(string(f.Data)) {
			n++
			for _, verb := range []string{"takes: ", "refused: "} {
				if _, text, ok := strings.Cut(strings.TrimRight(l, "\n"), "// "+verb); ok {
					out = append(out, fmt.Sprintf("%s:%d %s%s", f.Name, n, verb, text))
				}
			}
		}
	}
	return out
}
