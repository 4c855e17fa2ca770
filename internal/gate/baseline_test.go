package gate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/finding"
)

func TestBaselineTakesOffStaleEntries(t *testing.T) {
	all := side(nil, "p.F -> s @ a from x", "p.F -> s @ b", "p.F -> s @ c", "(*p.T).M -> s")
	list := NewBaseline([]string{"./..."}, ".", all.Findings)
	left := side(nil, "p.F -> s @ b", "(*p.T).M -> s")
	pruned := list.Without(Compare(list.Revision(), left, finding.Warning).Fixed)
	out := Compare(pruned.Revision(), left, finding.Warning)
	if len(out.New) > 0 || len(out.Fixed) > 0 || len(pruned.entries) != 2 {
		t.Errorf("%+v is left, and %+v of it", pruned.entries, out)
	}
}

func TestBaselineOnDisk(t *testing.T) {
	list := NewBaseline([]string{"./b", "./a"}, "svc", side(nil, "q.F -> s from b, a", "(*p.T).M -> s", "p.F -> s", "p.F -> s").Findings)
	name := filepath.Join(t.TempDir(), "known")
	if err := list.Write(name); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"ctxprop":"baseline","version":1,"packages":["./a","./b"],"dir":"svc"}
{"code":"CTX101","home":"p.F","sink":"s"}
{"code":"CTX101","home":"p.F","sink":"s","ordinal":1}
{"code":"CTX101","home":"(*p.T).M","sink":"s"}
{"code":"CTX101","home":"q.F","sink":"s","entries":["a","b"]}
`
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	read, err := ReadBaseline(name, "known")
	if err != nil {
		t.Fatal(err)
	}
	if !read.Covers([]string{"./b", "./a"}, "svc") || read.Covers([]string{"./a"}, "svc") || read.Covers([]string{"./a", "./b"}, ".") {
		t.Errorf("a run that sees as much: %v in %s", read.Packages, read.Dir)
	}
	// It is written in one way, and not again if it is the same.
	before, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(read.entries)
	if err := read.Write(name); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(name); err != nil || !os.SameFile(before, after) {
		t.Errorf("the same list was written again: %v", err)
	}
}

func TestBadBaselines(t *testing.T) {
	const head = `{"ctxprop":"baseline","version":1,"packages":["./..."],"dir":"."}` + "\n"
	for text, want := range map[string]string{
		"":                                "1: the baseline is empty",
		"\n\n":                            "1: the baseline is empty",
		"[]":                              "1: this is no baseline of ctxprop",
		`{"version":1}`:                   "1: this is no baseline of ctxprop",
		head + "{}":                       "2: an entry needs a code and a home",
		head + `{"code":"CTX101"}`:        "2: an entry needs a code and a home",
		head + `{"kode":"CTX101"}`:        "2: not a line of a baseline: json: unknown field \"kode\"",
		head + `{"code":1}`:               "2: not a line of a baseline: ",
		head + `{"code":"C","home":"h"}}`: "2: not a line of a baseline: more than one value on it",
		head + "=======":                  "2: a merge conflict",
	} {
		_, line, err := parseBaseline(text)
		if err == nil || !strings.HasPrefix(strings.Join([]string{string(rune('0' + line)), err.Error()}, ": "), want) {
			t.Errorf("%q: line %d, %v; want %s", text, line, err, want)
		}
	}
}

// What is read can be written and is read the same again.
func FuzzBaseline(f *testing.F) {
	const head = `{"ctxprop":"baseline","version":1,"packages":["./..."],"dir":"."}` + "\n"
	f.Add(head + `{"code":"CTX101","home":"p.F","sink":"s","ordinal":1,"entries":["b","a"]}`)
	f.Add(head + head)
	f.Add("<<<<<<<")
	f.Fuzz(func(t *testing.T, text string) {
		b, line, err := parseBaseline(text)
		if err != nil {
			if line < 1 {
				t.Errorf("%v has no line", err)
			}
			return
		}
		once, err := b.text()
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := parseBaseline(string(once))
		if err != nil {
			t.Fatalf("%v in what was written:\n%s", err, once)
		}
		if twice, err := again.text(); err != nil || string(twice) != string(once) {
			t.Errorf("%v: written\n%s\nand read and written again\n%s", err, once, twice)
		}
	})
}
