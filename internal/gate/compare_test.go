package gate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// side makes a revision of lines "home -> sink @ text from entry, entry" and
// functions with their bodies. A severity in front of a line is not error.
func side(functions map[string]string, lines ...string) *Revision {
	text := map[*finding.Finding]string{}
	next := map[kind]int{}
	r := &Revision{}
	for _, line := range lines {
		f := &finding.Finding{Severity: finding.Error}
		if rest, ok := strings.CutPrefix(line, "info "); ok {
			f.Severity, line = finding.Info, rest
		}
		line, entries, _ := strings.Cut(line, " from ")
		if entries != "" {
			f.Entries = strings.Split(entries, ", ")
		}
		line, at, _ := strings.Cut(line, " @ ")
		home, sink, _ := strings.Cut(line, " -> ")
		f.ID = finding.Identity{Code: finding.FreshContext, Home: home, Sink: sink}
		f.ID.Ordinal = next[kindOf(f)]
		next[kindOf(f)]++
		text[f] = at
		r.Findings = append(r.Findings, f)
	}
	r.Line = func(f *finding.Finding) string { return text[f] }
	r.Body = func(key string) ([]string, bool) {
		body, ok := functions[key]
		return strings.Fields(body), ok
	}
	return r
}

// describe prints an outcome, in the order of the findings.
func describe(r *Revision, o *Outcome) string {
	var parts []string
	for _, f := range r.Findings {
		switch {
		case o.New[f]:
			parts = append(parts, fmt.Sprintf("new %s#%d", f.ID.Home, f.ID.Ordinal))
		case len(o.Wider[f]) > 0:
			parts = append(parts, fmt.Sprintf("wider %s from %s", f.ID.Home, strings.Join(o.Wider[f], ", ")))
		}
	}
	for _, f := range o.Fixed {
		parts = append(parts, fmt.Sprintf("fixed %s#%d", f.ID.Home, f.ID.Ordinal))
	}
	return strings.Join(parts, "; ")
}

const (
	long  = "func ( s * Store ) ( ctx context . Context , id int ) ( row Row , err error ) { if id == 0 { return row , nil } for i := range 3 { row . n += i } err = s . d . Query ( context . Background ( ) , id ) ; return row , err }"
	other = "func ( names map [ string ] string ) error { for k , v := range names { if k == v { continue } ; if err := d . Query ( context . Background ( ) , k , v ) ; err != nil { return fmt . Errorf ( k ) } } return nil }"
	short = "func ( ) error { return d . Query ( context . Background ( ) ) }"
)

func TestCompare(t *testing.T) {
	type functions = map[string]string
	tests := []struct {
		name          string
		before, after *Revision
		want          string
	}{
		{"nothing changed", side(nil, "p.F -> s"), side(nil, "p.F -> s"), ""},
		{"one more, one less", side(nil, "p.F -> s"), side(nil, "p.G -> s"), "new p.G#0; fixed p.F#0"},
		{"a second one in front: lines tell which", side(nil, "p.F -> s @ b"), side(nil, "p.F -> s @ a", "p.F -> s @ b"), "new p.F#0"},
		{"a second one behind", side(nil, "p.F -> s @ b"), side(nil, "p.F -> s @ b", "p.F -> s @ c"), "new p.F#1"},
		{"of three, the middle one goes", side(nil, "p.F -> s @ a", "p.F -> s @ b", "p.F -> s @ c"), side(nil, "p.F -> s @ a", "p.F -> s @ c"), "fixed p.F#1"},
		{"lines that were edited", side(nil, "p.F -> s @ a", "p.F -> s @ b"), side(nil, "p.F -> s @ x", "p.F -> s @ y"), ""},
		{
			"a renamed function",
			side(functions{"p.F": long}, "p.F -> s"), side(functions{"p.G": long}, "p.G -> s"), "",
		},
		{
			"a function with the same sink and nothing else in common",
			side(functions{"p.F": long}, "p.F -> s"), side(functions{"p.G": other}, "p.G -> s"), "new p.G#0; fixed p.F#0",
		},
		{
			"the old function is still there: a copy",
			side(functions{"p.F": long}, "p.F -> s"), side(functions{"p.F": long, "p.G": long}, "p.G -> s"), "new p.G#0; fixed p.F#0",
		},
		{
			"the new function was there: it got the loss",
			side(functions{"p.F": long, "p.G": long}, "p.F -> s"), side(functions{"p.G": long}, "p.G -> s"), "new p.G#0; fixed p.F#0",
		},
		{
			"a moved function",
			side(functions{"a/p.F": short}, "a/p.F -> s"), side(functions{"b/q.F": short}, "b/q.F -> s"), "",
		},
		{
			"a short function elsewhere with another name looks like any other",
			side(functions{"a/p.F": short}, "a/p.F -> s"), side(functions{"b/q.G": short}, "b/q.G -> s"), "new b/q.G#0; fixed a/p.F#0",
		},
		{
			"a long one does not",
			side(functions{"a/p.F": long}, "a/p.F -> s"), side(functions{"b/q.G": long}, "b/q.G -> s"), "",
		},
		{
			"a sink of one's own with another name",
			side(functions{"p.F": long, "p.Old": ""}, "p.F -> p.Old"), side(functions{"p.F": long, "p.New": ""}, "p.F -> p.New"), "",
		},
		{
			"another sink of somebody else's",
			side(functions{"p.F": long}, "p.F -> sql.Exec"), side(functions{"p.F": long}, "p.F -> sql.Query"), "new p.F#0; fixed p.F#0",
		},
		{
			"two of two renamed, equal as they are",
			side(functions{"p.A": long, "p.B": long}, "p.A -> s", "p.B -> s"), side(functions{"p.C": long, "p.D": long}, "p.C -> s", "p.D -> s"), "",
		},
		{
			"one of them is more than there was",
			side(functions{"p.A": long}, "p.A -> s"), side(functions{"p.C": long, "p.D": long}, "p.C -> s", "p.D -> s"), "new p.D#0",
		},
		{"reached from elsewhere", side(nil, "p.F -> s from a"), side(nil, "p.F -> s from a, b"), "wider p.F from b"},
		{"reached from less", side(nil, "p.F -> s from a, b"), side(nil, "p.F -> s from a"), ""},
		{"a renamed entry point", side(nil, "p.F -> s from a", "p.G -> s from a"), side(nil, "p.F -> s from b", "p.G -> s from b"), ""},
		{
			"one entry point less, and another where the first was not",
			side(nil, "p.F -> s from a", "p.G -> s from c"), side(nil, "p.F -> s", "p.G -> s from b, c"), "wider p.G from b",
		},
		{
			"two come where one goes", side(nil, "p.F -> s from a"), side(nil, "p.F -> s from b, c"), "wider p.F from b, c",
		},
		{"shown for the first time", side(nil, "info p.F -> s"), side(nil, "p.F -> s from a"), "new p.F#0"},
		{"not shown either way", side(nil, "info p.F -> s"), side(nil, "info p.F -> s"), ""},
		{"too many entry points to know them all", side(nil, "p.F -> s from "+letters(20)), side(nil, "p.F -> s from "+letters(21)), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := describe(test.after, Compare(test.before, test.after, finding.Warning)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func letters(n int) string {
	var names []string
	for i := range n {
		names = append(names, string(rune('a'+i)))
	}
	return strings.Join(names, ", ")
}

func TestEither(t *testing.T) {
	after := side(nil, "p.A -> s from x, y, z", "p.B -> s", "p.C -> s", "p.D -> s from x")
	base := Compare(side(nil, "p.A -> s from x", "p.B -> s"), after, finding.Warning)
	list := Compare(side(nil, "p.A -> s from x, y", "p.C -> s"), after, finding.Warning)
	want := "wider p.A from z; new p.D#0"
	for _, got := range []*Outcome{Either(base, list), Either(list, base)} {
		if got := describe(after, got); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A comparison does not depend on the order in which findings come.
func TestCompareInAnyOrder(t *testing.T) {
	before := side(map[string]string{"p.F": long}, "p.F -> s @ a from x", "p.F -> s @ b", "p.H -> s")
	after := side(map[string]string{"p.G": long}, "p.G -> s @ b from x, y", "p.G -> s @ a", "p.H -> s", "p.H -> s @ new")
	want := describe(after, Compare(before, after, finding.Warning))
	reversed := *after
	reversed.Findings = slices.Clone(after.Findings)
	slices.Reverse(reversed.Findings)
	turned := *before
	turned.Findings = slices.Clone(before.Findings)
	slices.Reverse(turned.Findings)
	if got := describe(after, Compare(&turned, &reversed, finding.Warning)); got != want || want == "" {
		t.Errorf("got %q, want %q", got, want)
	}
}
