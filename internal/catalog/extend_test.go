package catalog

import (
	"slices"
	"testing"
)

func TestExtendOverridesAndLeavesTheOriginal(t *testing.T) {
	base, err := new(Catalog).Extend("base", `
		quiet a.F
		block (*a.T).M class=rpc
		quiet a.*
		quiet b/...
		root func(error) name="old"
		root func(any) name="other"
		service a.T
	`)
	if err != nil {
		t.Fatal(err)
	}
	before := describe(base)
	extended, err := base.Extend("flag", `
		block a.F class=sql
		quiet (a.T).M
		block a.* class=net
		block b/... class=net
		root func( error ) name="new" grade=C
		service *a.T
	`)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"block (*a.T).M class=rpc", "quiet a.*", "quiet a.F", "quiet b/...",
		"root old R func(error)", "root other R func(any)", "service a.T",
	}
	compare(t, "base", before, want)
	compare(t, "base after Extend", describe(base), want)
	compare(t, "extended", describe(extended), []string{
		"block a.* class=net", "block a.F class=sql", "block b/... class=net", "quiet (a.T).M",
		"root new C func(error)", "root other R func(any)", "service *a.T", "service a.T",
	})

	twice, err := extended.Extend("again", "quiet a.F")
	if err != nil {
		t.Fatal(err)
	}
	if got := twice.packages["a"].byName[memberName{name: "F"}]; got.Kind != Quiet || got.Pos.String() != "again:1" {
		t.Errorf("the last line about a.F is %v of %v", got, got.Pos)
	}
}

// describe lists a catalog's lines, sorted.
func describe(c *Catalog) []string {
	var lines []string
	for _, e := range c.Entries() {
		lines = append(lines, e.String())
	}
	for _, r := range c.Roots() {
		lines = append(lines, "root "+r.Name+" "+r.Grade.String()+" "+r.String())
	}
	for _, s := range c.Services() {
		lines = append(lines, "service "+s.String())
	}
	for _, p := range c.Providers() {
		lines = append(lines, "provider "+p.String())
	}
	slices.Sort(lines)
	return lines
}

func compare(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %q\nwant %q", what, got, want)
	}
}
