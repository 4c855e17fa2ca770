package ctxflow

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// files holds the source of packages by "import/path/name.go".
type files map[string]string

// stubs are the third-party packages of the tests.
var stubs = sync.OnceValues(func() (files, error) {
	return readTree("testdata/src", "google.golang.org", "github.com", "golang.org", "go.opentelemetry.io")
})

// readTree reads the Go files below some folders of a GOPATH-like tree.
func readTree(root string, dirs ...string) (files, error) {
	out := files{}
	for _, dir := range dirs {
		err := fs.WalkDir(os.DirFS(root), dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(name) != ".go" {
				return err
			}
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
			out[name] = string(text)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// stdImporter reads the real standard library from export data, which takes a
// fraction of the time that its source would.
var stdImporter = sync.OnceValues(func() (types.Importer, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}",
		"database/sql", "net/http", "os/exec", "iter", "sort")
	cmd.Stderr = new(bytes.Buffer)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, cmd.Stderr)
	}
	export := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		export[name] = file
	}
	return importer.ForCompiler(memoryFset, "gc", func(name string) (io.ReadCloser, error) {
		if export[name] == "" {
			return nil, fmt.Errorf("%s is not among the standard packages that the tests use", name)
		}
		return os.Open(export[name])
	}), nil
})

// memoryFset is one for all programs, since they share the standard library.
var memoryFset = token.NewFileSet()

// program is a set of type-checked packages.
type program struct {
	sources files
	pkgs    []*packages.Package // without the stubs, by path
}

// loader type-checks the packages of a program, imports first.
type loader struct {
	std     types.Importer
	sources files
	done    map[string]*packages.Package
}

// load type-checks packages from memory. They can import each other, the
// stubs, and what stdImporter has.
func load(tb testing.TB, sources files) *program {
	tb.Helper()
	std, err := stdImporter()
	if err != nil {
		tb.Fatal(err)
	}
	third, err := stubs()
	if err != nil {
		tb.Fatal(err)
	}
	l := &loader{std: std, sources: maps.Clone(third), done: map[string]*packages.Package{}}
	maps.Copy(l.sources, sources)
	prog := &program{sources: sources}
	paths := map[string]bool{}
	for name := range sources {
		paths[path.Dir(name)] = true
	}
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		pkg, err := l.load(p)
		if err != nil {
			tb.Fatal(err)
		}
		prog.pkgs = append(prog.pkgs, pkg)
	}
	return prog
}

// Import makes the loader the importer of its own packages.
func (l *loader) Import(importPath string) (*types.Package, error) {
	if l.has(importPath) {
		pkg, err := l.load(importPath)
		if err != nil {
			return nil, err
		}
		return pkg.Types, nil
	}
	return l.std.Import(importPath)
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
	}
}

func (l *loader) has(importPath string) bool {
	for name := range l.sources {
		if path.Dir(name) == importPath {
			return true
		}
	}
	return false
}

func (l *loader) load(importPath string) (*packages.Package, error) {
	if pkg := l.done[importPath]; pkg != nil {
		return pkg, nil
	}
	pkg := &packages.Package{
		ID: importPath, PkgPath: importPath, Fset: memoryFset, Imports: map[string]*packages.Package{},
		TypesSizes: types.SizesFor("gc", "amd64"), TypesInfo: newInfo(),
	}
	l.done[importPath] = pkg
	for _, name := range slices.Sorted(maps.Keys(l.sources)) {
		if path.Dir(name) != importPath {
			continue
		}
		file, err := parser.ParseFile(memoryFset, name, l.sources[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		pkg.Name = file.Name.Name
		pkg.Syntax = append(pkg.Syntax, file)
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, err
			}
			if l.has(imported) {
				if pkg.Imports[imported], err = l.load(imported); err != nil {
					return nil, err
				}
			}
		}
	}
	conf := types.Config{Importer: l, Sizes: pkg.TypesSizes, GoVersion: "go1.26"}
	var err error
	pkg.Types, err = conf.Check(importPath, memoryFset, pkg.Syntax, pkg.TypesInfo)
	return pkg, err
}

// analyze runs ctxflow over the program as any driver would, facts encoded and
// decoded between packages, and returns what it says of each package.
func (p *program) analyze(tb testing.TB, cfg Config) map[string]*Result {
	tb.Helper()
	out := map[string]*Result{}
	for _, act := range p.actions(tb, cfg) {
		out[act.Package.PkgPath] = act.Result.(*Result)
	}
	return out
}

func (p *program) actions(tb testing.TB, cfg Config) []*checker.Action {
	tb.Helper()
	graph, err := checker.Analyze([]*analysis.Analyzer{New(cfg)}, p.pkgs, &checker.Options{SanityCheck: true})
	if err != nil {
		tb.Fatal(err)
	}
	for act := range graph.All() {
		if act.Err != nil {
			tb.Fatal(act.Err)
		}
	}
	return graph.Roots
}

// found lists the verdicts as "file:line CODE", sorted.
func found(results map[string]*Result) []string {
	var out []string
	for _, r := range results {
		for _, v := range r.Verdicts {
			posn := memoryFset.Position(v.Pos)
			out = append(out, fmt.Sprintf("%s:%d %s", posn.Filename, posn.Line, v.Code))
		}
	}
	slices.Sort(out)
	return out
}

// marked lists what follows "// VERB: " in comments, as "file:line WORD", sorted.
func (f files) marked(verb string) []string {
	var out []string
	for name, text := range f {
		line := 0
		for l := range strings.Lines(text) {
			line++
			if _, after, ok := strings.Cut(l, "// "+verb+": "); ok {
				for word := range strings.FieldsSeq(after) {
					out = append(out, fmt.Sprintf("%s:%d %s", name, line, word))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// compare reports the lines that one list has and the other has not.
func compare(t *testing.T, got, want []string) {
	t.Helper()
	for _, g := range got {
		if !slices.Contains(want, g) {
			t.Errorf("unexpected: %s", g)
		}
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("missing: %s", w)
		}
	}
}
