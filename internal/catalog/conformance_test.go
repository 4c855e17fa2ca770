package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryLineWasChecked holds the tables against the list of lines that the
// conformance module has checked against the real packages. It is what makes
// an unchecked line fail without the network.
func TestEveryLineWasChecked(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "conformance", "symbols.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]bool{}
	for row := range strings.Lines(string(text)) {
		line, _, _ := strings.Cut(row, "\t")
		checked[line] = true
	}
	c := Default()
	want := func(line string, pos Pos) {
		if !checked[line] {
			t.Errorf("%v: not in conformance/symbols.tsv: %s", pos, line)
		}
		delete(checked, line)
	}
	for _, e := range c.Entries() {
		want(e.String(), e.Pos)
	}
	for _, r := range c.Roots() {
		want("root "+r.String(), r.Pos)
	}
	for _, s := range c.Services() {
		want("service "+s.String(), s.Pos)
	}
	for _, p := range c.Providers() {
		want("provider "+p.String(), p.Pos)
	}
	for line := range checked {
		t.Errorf("conformance/symbols.tsv has a line that is in no table: %s", line)
	}
}
