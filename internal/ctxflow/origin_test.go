package ctxflow

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestOrigins asserts where the context of each blocking call comes from: the
// kinds in the comment, followed by +deadline if one was set since, and by ?
// if the origin only stands in for another.
func TestOrigins(t *testing.T) {
	sources, err := readTree("testdata/src", "origins")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range load(t, sources).analyze(t, Config{}) {
		for _, s := range r.Sites {
			posn := memoryFset.Position(s.Pos)
			for _, o := range s.Origins {
				got = append(got, fmt.Sprintf("%s:%d %s", posn.Filename, posn.Line, originText(o)))
			}
		}
	}
	slices.Sort(got)
	want := sources.marked("origin")
	compare(t, got, want)
	if len(got) != len(want) { // a line may have two origins of one kind
		t.Errorf("%d origins, want %d", len(got), len(want))
	}
}

func originText(o SiteOrigin) string {
	var b strings.Builder
	b.WriteString(o.Kind.String())
	if o.Bounded {
		b.WriteString("+deadline")
	}
	if o.Maybe {
		b.WriteString("?")
	}
	return b.String()
}
