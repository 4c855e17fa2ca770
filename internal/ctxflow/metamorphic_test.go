package ctxflow

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestIdentities changes programs in ways that must not change what a finding
// is: identities are what baselines and gates compare.
func TestIdentities(t *testing.T) {
	sources, err := readTree("testdata/src", "silent", "origins", "facts")
	if err != nil {
		t.Fatal(err)
	}
	want := identities(load(t, sources).analyze(t, Config{}))
	if len(want) < 50 {
		t.Fatalf("only %d findings", len(want))
	}
	for _, test := range []struct {
		name   string
		change func(*testing.T, files) files
	}{
		{"insert lines", insertLines},
		{"rename files", renameFiles},
		{"reorder declarations", reorderDecls},
		{"split files", splitFiles},
		{"rename locals", renameLocals},
	} {
		t.Run(test.name, func(t *testing.T) {
			compare(t, identities(load(t, test.change(t, sources)).analyze(t, Config{})), want)
		})
	}
}

func identities(results map[string]*Result) []string {
	var out []string
	for _, r := range results {
		for _, v := range r.Verdicts {
			out = append(out, fmt.Sprintf("%s from %v", v.ID(), v.Entries))
		}
	}
	slices.Sort(out)
	return out
}

func insertLines(t *testing.T, sources files) files {
	out := files{}
	for name, text := range sources {
		header, decls := split(t, name, text)
		out[name] = header + "\n// Filler.\n\n\n" + strings.Join(decls, "\n\n// More filler.\n\n")
	}
	return out
}

// renameFiles turns the order of the files round as well.
func renameFiles(t *testing.T, sources files) files {
	out := files{}
	names := slices.Sorted(maps.Keys(sources))
	for i, name := range names {
		base := fmt.Sprintf("f%03d.go", len(names)-i)
		if strings.HasSuffix(name, "_test.go") {
			base = strings.Replace(base, ".go", "_test.go", 1)
		}
		out[path.Join(path.Dir(name), base)] = sources[name]
	}
	return out
}

func reorderDecls(t *testing.T, sources files) files {
	out := files{}
	for name, text := range sources {
		header, decls := split(t, name, text)
		slices.Reverse(decls)
		out[name] = header + strings.Join(decls, "\n")
	}
	return out
}

// splitFiles gives every second declaration of a file to another one, with
// the same imports, each of which it uses once more than it needs.
func splitFiles(t *testing.T, sources files) files {
	out := files{}
	for name, text := range sources {
		header, decls := split(t, name, text)
		var parts [2][]string
		for i, d := range decls {
			parts[i%2] = append(parts[i%2], d)
		}
		dir, base := path.Split(name)
		for i, part := range parts {
			out[dir+fmt.Sprintf("part%d_%s", i, base)] = header + strings.Join(part, "\n") + useImports(t, name, header)
		}
	}
	return out
}

// major is the last element of an import path that names a major version.
var major = regexp.MustCompile(`^v[0-9]+$`)

// useImports declares something with each import of a file.
func useImports(t *testing.T, name, header string) string {
	t.Helper()
	exported := map[string]string{
		"context": "Background", "log": "Print", "database/sql": "ErrNoRows", "iter": "Pull[int]", "net/http": "MethodGet", "os": "Args",
		"errors": "New", "sync": "OnceFunc", "sync/atomic": "AddInt32", "time": "Now",
		"facts/summaries": "Root", "github.com/spf13/cobra": "Command{}.Use", "golang.org/x/sync/errgroup": "WithContext",
		"golang.org/x/sync/singleflight": "Result{}.Shared", "google.golang.org/grpc": "UnaryServerInfo{}.FullMethod",
		"go.opentelemetry.io/otel/trace": "SpanFromContext", "github.com/gofiber/fiber/v2": "Handler(nil)", "github.com/urfave/cli/v2": "Context{}.Context",
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, header, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, spec := range file.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		if exported[imported] == "" {
			t.Fatalf("%s imports %s: say here what can be used of it", name, imported)
		}
		pkg := path.Base(imported)
		if major.MatchString(pkg) {
			pkg = path.Base(path.Dir(imported))
		}
		if spec.Name != nil {
			pkg = spec.Name.Name
		}
		fmt.Fprintf(&b, "\nvar _ = %s.%s\n", pkg, exported[imported])
	}
	return b.String()
}

// split cuts a file into its package clause with the imports, and its
// declarations with their comments.
func split(t *testing.T, name, text string) (header string, decls []string) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var cuts []int
	for _, d := range file.Decls {
		start := d.Pos()
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Doc != nil {
				start = d.Doc.Pos()
			}
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			if d.Doc != nil {
				start = d.Doc.Pos()
			}
		}
		cuts = append(cuts, fset.Position(start).Offset)
	}
	for i, cut := range cuts {
		end := len(text)
		if i+1 < len(cuts) {
			end = cuts[i+1]
		}
		decls = append(decls, text[cut:end])
	}
	if len(cuts) == 0 {
		return text, nil
	}
	return text[:cuts[0]], decls
}

// renameLocals gives all parameters, results, receivers and local variables
// new names.
func renameLocals(t *testing.T, sources files) files {
	edits := map[string][]int{} // file to the offsets where names end
	for _, pkg := range load(t, sources).pkgs {
		add := func(id *ast.Ident, obj types.Object) {
			v, ok := obj.(*types.Var)
			if !ok || v.IsField() || v.Parent() == pkg.Types.Scope() || v.Pkg() != pkg.Types || id.Name == "_" {
				return
			}
			end := memoryFset.Position(id.End())
			edits[end.Filename] = append(edits[end.Filename], end.Offset)
		}
		for id, obj := range pkg.TypesInfo.Defs {
			add(id, obj)
		}
		for id, obj := range pkg.TypesInfo.Uses {
			add(id, obj)
		}
	}
	out := files{}
	for name, text := range sources {
		ends := edits[name]
		slices.Sort(ends)
		for _, end := range slices.Backward(slices.Compact(ends)) {
			text = text[:end] + "New" + text[end:]
		}
		out[name] = text
	}
	return out
}

// TestIdentitiesOutliveExtraction takes code out into functions of its own, on
// the way to the loss and on the way from it.
func TestIdentitiesOutliveExtraction(t *testing.T) {
	const before = `package p

import "context"

type sink interface { Load(ctx context.Context, id string) error }

func Entry(ctx context.Context, s sink) error {
	c := context.Background()
	if err := s.Load(c, "1"); err != nil {
		return err
	}
	return home(s)
}

func home(s sink) error { return s.Load(context.TODO(), "2") }
`
	const after = `package p

import "context"

type sink interface { Load(ctx context.Context, id string) error }

func Entry(ctx context.Context, s sink) error {
	c := context.Background()
	if err := first(c, s); err != nil {
		return err
	}
	return second(s)
}

func first(ctx context.Context, s sink) error {
	if err := s.Load(ctx, "1"); err != nil {
		return err
	}
	return nil
}

func second(s sink) error { return home(s) }

func home(s sink) error { return s.Load(context.TODO(), "2") }
`
	want := identities(load(t, files{"x/p.go": before}).analyze(t, Config{}))
	if len(want) != 2 {
		t.Fatalf("%d findings, want 2: %q", len(want), want)
	}
	compare(t, identities(load(t, files{"x/p.go": after}).analyze(t, Config{})), want)
}
