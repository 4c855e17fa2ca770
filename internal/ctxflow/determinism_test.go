package ctxflow

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// TestDeterministic: the same program gives the same results to the last
// detail, whatever the order in which maps are walked.
func TestDeterministic(t *testing.T) {
	sources, err := readTree("testdata/src", "silent", "origins", "facts")
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(sources, disguises())
	prog := load(t, sources)
	first := details(prog.analyze(t, Config{}))
	for range 4 {
		again := details(prog.analyze(t, Config{}))
		if slices.Equal(first, again) {
			continue
		}
		compare(t, again, first)
		t.Fatal("results differ from run to run")
	}
}

// details prints everything that a user may see of the results.
func details(results map[string]*Result) []string {
	var out []string
	for pkg, r := range results {
		for i, v := range r.Verdicts {
			out = append(out, fmt.Sprintf("%s: verdict %d: %s at %d-%d, grade %s, root %s, entries %v, closers %+v", pkg, i, v.ID(), v.Pos, v.End, v.Grade, v.Root, v.Entries, v.Closers))
		}
		for i, s := range r.Sites {
			out = append(out, fmt.Sprintf("%s: site %d: %d %s", pkg, i, s.Pos, s))
		}
		if r.Graph == nil {
			continue
		}
		for i, n := range r.Graph.Nodes {
			out = append(out, fmt.Sprintf("%s: node %d: %+v", pkg, i, *n))
		}
	}
	slices.Sort(out)
	return out
}
