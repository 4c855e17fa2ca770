package ctxflow

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
)

// TestFacts asserts the facts in place, in comments on the lines of the
// functions' names. Every fact must be asserted, so ordinary code has none.
func TestFacts(t *testing.T) {
	sources, err := readTree("testdata/src", "facts")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, act := range load(t, sources).actions(t, Config{}) {
		for _, f := range ownFacts(act) {
			posn := memoryFset.Position(f.Object.Pos())
			got = append(got, fmt.Sprintf("%s:%d %s", posn.Filename, posn.Line, f.Fact))
		}
	}
	compare(t, got, asserted(sources))
}

// ownFacts lists the facts on objects of the action's own package.
func ownFacts(act *checker.Action) []analysis.ObjectFact {
	return slices.DeleteFunc(act.AllObjectFacts(), func(f analysis.ObjectFact) bool { return f.Object.Pkg() != act.Package.Types })
}

func asserted(sources files) []string {
	var out []string
	for name, text := range sources {
		line := 0
		for l := range strings.Lines(text) {
			line++
			if _, fact, ok := strings.Cut(l, "// fact: "); ok {
				out = append(out, fmt.Sprintf("%s:%d %s", name, line, strings.TrimSpace(fact)))
			}
		}
	}
	return out
}

// TestFactsEncodeAlike: the go command compares what vet writes, and caches
// every importer by it.
func TestFactsEncodeAlike(t *testing.T) {
	sources, err := readTree("testdata/src", "facts", "silent", "origins")
	if err != nil {
		t.Fatal(err)
	}
	first, second := encodedFacts(t, load(t, sources)), encodedFacts(t, load(t, sources))
	if len(first) < 50 {
		t.Fatalf("only %d facts", len(first))
	}
	for name, data := range first {
		if !bytes.Equal(data, second[name]) {
			t.Errorf("the fact on %s is encoded in two ways", name)
		}
	}
	if len(first) != len(second) {
		t.Errorf("%d facts, then %d", len(first), len(second))
	}
}

func encodedFacts(t *testing.T, prog *program) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, act := range prog.actions(t, Config{}) {
		for _, f := range ownFacts(act) {
			data := encode(t, f.Fact)
			if again := encode(t, f.Fact); !bytes.Equal(data, again) {
				t.Errorf("%s: encoded twice, differs", f.Object)
			}
			out[f.Object.String()] = data
		}
	}
	return out
}

func encode(t testing.TB, fact analysis.Fact) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(fact); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestFactIsFlat: maps are encoded in a random order, and pointers and
// interfaces may carry anything.
func TestFactIsFlat(t *testing.T) {
	var check func(path string, typ reflect.Type)
	check = func(path string, typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Struct:
			for f := range typ.Fields() {
				if !f.IsExported() {
					t.Errorf("%s.%s is not exported, so it is lost", path, f.Name)
				}
				check(path+"."+f.Name, f.Type)
			}
		case reflect.Slice:
			check(path+"[]", typ.Elem())
		case reflect.Bool, reflect.Int, reflect.Uint8, reflect.String:
		default:
			t.Errorf("%s is a %s", path, typ)
		}
	}
	check("Fact", reflect.TypeFor[Fact]())
}
