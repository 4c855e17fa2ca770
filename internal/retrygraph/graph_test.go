package retrygraph

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/link"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// route makes a route of hops, each "METHOD:ATTEMPTS", the last of which names
// what is called.
func route(from string, hops ...string) *link.Route {
	r := &ctxflow.Route{Retry: &ctxflow.Retry{}}
	r.Start = ctxflow.Retried{Node: from, Name: from}
	for i, hop := range hops {
		name, attempts, _ := strings.Cut(hop, ":")
		h := ctxflow.Hop{Method: "/" + name, Handler: name}
		if i == len(hops)-1 {
			h = ctxflow.Hop{Sink: ctxflow.Sink{Key: name, Name: name}}
		}
		if attempts != "" {
			n := retry.Unknown()
			if attempts != "?" {
				n = retry.Exactly(len(attempts)) // xxx is three
			}
			step := ctxflow.RetryStep{Name: from, Attempts: n}
			h.Layers = append(h.Layers, step)
			r.Retry.Layers = append(r.Retry.Layers, step)
			r.Retry.Product = append(r.Retry.Product, n)
		}
		r.Hops = append(r.Hops, h)
	}
	r.Retry.Steady.Factors = r.Retry.Product
	return &link.Route{Route: r}
}

// TestGraph: an edge that two paths share, by its ends and layers, is one.
func TestGraph(t *testing.T) {
	g := New([]*link.Route{
		route("web", "a/M:xxx", "b/M", "query:xx"),
		route("worker", "b/M:?", "query:xx"),
		route("cron", "query:xx"),
	})
	var text strings.Builder
	if err := WriteText(&text, g); err != nil {
		t.Fatal(err)
	}
	const want = `web -> a/M -> b/M -> query: 3×2 = 6
	×3 web (:0)
	×1 a/M does not repeat b/M
	×2 web (:0)
worker -> b/M -> query: ?×2, at least 4
	×? worker (:0)
	×2 web (:0)
cron -> query: 2
	×2 cron (:0)
`
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
	if len(g.Nodes) != 6 || len(g.Edges) != 5 {
		t.Errorf("%d nodes and %d edges", len(g.Nodes), len(g.Edges))
	}
	column := g.columns()
	for _, e := range g.Edges {
		if column[e.From] >= column[e.To] {
			t.Errorf("%s is not left of %s", e.From.Name, e.To.Name)
		}
	}
}

// TestRound draws services that call each other.
func TestRound(t *testing.T) {
	g := New([]*link.Route{
		route("web", "a/M:xx", "b/M:xx", "a/M"),
		route("b", "a/M:xx", "b/M:xx"),
	})
	wellFormed(t, g.Drawing())
}

// TestPictures: the names of what is drawn may hold anything.
func TestPictures(t *testing.T) {
	g := New([]*link.Route{route(`list[<T & "U">]`, "a/M:xx", "q<uery:?"), route("other", "a/M:xxx", "q<uery:?")})
	wellFormed(t, g.Drawing())
	var page strings.Builder
	if err := WriteHTML(&page, g); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), "<T") || strings.Contains(page.String(), "q<u") {
		t.Error("a name is not escaped")
	}
	wellFormed(t, New(nil).Drawing())
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
	}
}

func ExampleWriteDOT() {
	var out strings.Builder
	_ = WriteDOT(&out, New([]*link.Route{route("web", "query:xx")}))
	fmt.Print(out.String())
	// Output:
	// digraph retries {
	// 	rankdir=LR
	// 	node [fontname="sans-serif"]
	// 	edge [fontname="sans-serif"]
	// 	n1 [label="web", shape=ellipse]
	// 	n2 [label="query", shape=cylinder]
	// 	n1 -> n2 [label="×2"]
	// 	// path 1: web -> query: 2
	// }
}
