package ctxprop_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// peersItems is how many wrong results of other tools testdata/peers lists.
const peersItems = 102

// TestPeersItems keeps items.tsv true: no item is forgotten, and every place
// is there and expects what its line says.
func TestPeersItems(t *testing.T) {
	text, err := os.ReadFile("testdata/peers/items.tsv")
	if err != nil {
		t.Fatal(err)
	}
	expected := peersExpectations(t)
	listed := map[string]bool{}
	used := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 || slices.Contains(f, "") {
			t.Errorf("want item, tool, what, verdict and places: %q", line)
			continue
		}
		item, verdict, places := f[0], f[3], f[4]
		listed[item] = true
		if verdict == "out" {
			continue
		}
		for _, place := range strings.Fields(places) {
			if err := checkPlace(place, verdict, expected); err != nil {
				t.Errorf("item %s: %v", item, err)
			}
			used[place] = true
		}
	}
	for i := range peersItems {
		if item := fmt.Sprint(i + 1); !listed[item] {
			t.Errorf("item %s is not listed", item)
		}
	}
	for place, codes := range expected {
		if len(codes) > 0 && !used[place] {
			t.Errorf("%s expects %v for no item", place, codes)
		}
	}
}

// TestComparisonPage: docs/comparison.md counts what items.tsv lists.
func TestComparisonPage(t *testing.T) {
	text, err := os.ReadFile("testdata/peers/items.tsv")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/comparison.md")
	if err != nil {
		t.Fatal(err)
	}
	items, tested := map[string]map[string]bool{}, map[string]map[string]bool{}
	add := func(to map[string]map[string]bool, tool, item string) {
		if to[tool] == nil {
			to[tool] = map[string]bool{}
		}
		to[tool][item] = true
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(line, "\t"); len(f) == 5 {
			add(items, f[1], f[0])
			if f[3] != "out" {
				add(tested, f[1], f[0])
			}
		}
	}
	rows := regexp.MustCompile(`(?m)^\| ([^ |]+)[^|]* \| [^|]* \| (\d+) \| (\d+) \|$`).FindAllStringSubmatch(string(page), -1)
	if len(rows) == 0 {
		t.Error("the page has no table of items")
	}
	for _, m := range rows {
		if want := fmt.Sprint(len(items[m[1]]), len(tested[m[1]])); want != m[2]+" "+m[3] {
			t.Errorf("%s: the page says %s of %s, the list %s", m[1], m[3], m[2], want)
		}
	}
}

func checkPlace(place, verdict string, expected map[string][]string) error {
	if verdict == "test" {
		dir, name, _ := strings.Cut(place, ".")
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			return err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if strings.Contains(string(text), "\nfunc "+name+"(") {
				return nil
			}
		}
		return fmt.Errorf("%s has no test %s", dir, name)
	}
	codes, ok := expected[place]
	switch {
	case !ok:
		return fmt.Errorf("there is no %s", place)
	case verdict == "silent" && len(codes) > 0:
		return fmt.Errorf("%s is not silent: it expects %v", place, codes)
	case verdict != "silent" && !slices.Contains(codes, verdict):
		return fmt.Errorf("%s expects %v, not %s", place, codes, verdict)
	}
	return nil
}

// peersExpectations lists the codes in the want comments of every function.
func peersExpectations(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("testdata/peers/src/peers/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`CTX\d+`)
	expected := map[string][]string{}
	for _, name := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			place := filepath.Base(filepath.Dir(name)) + "." + declared(d)
			expected[place] = nil
			for _, group := range file.Comments {
				for _, c := range group.List {
					if strings.HasPrefix(c.Text, "// want ") && d.Pos() <= c.Pos() && c.Pos() <= lineEnd(fset, d) {
						expected[place] = append(expected[place], codes.FindAllString(c.Text, -1)...)
					}
				}
			}
		}
	}
	return expected
}

// lineEnd is the end of the last line of a declaration.
func lineEnd(fset *token.FileSet, d ast.Decl) token.Pos {
	f := fset.File(d.End())
	if line := f.Line(d.End()); line < f.LineCount() {
		return f.LineStart(line+1) - 1
	}
	return token.Pos(f.Base() + f.Size())
}

// declared names a declaration: Function, Type.Method, or the first variable.
func declared(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return d.Name.Name
		}
		recv := d.Recv.List[0].Type
		if star, ok := recv.(*ast.StarExpr); ok {
			recv = star.X
		}
		if generic, ok := recv.(*ast.IndexExpr); ok {
			recv = generic.X
		}
		return recv.(*ast.Ident).Name + "." + d.Name.Name
	case *ast.GenDecl:
		if v, ok := d.Specs[0].(*ast.ValueSpec); ok {
			return v.Names[0].Name
		}
	}
	return ""
}
