package retrygraph

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// shapes of nodes in DOT.
var shapes = map[Kind]string{Request: "box", Method: "box", Function: "ellipse", Call: "cylinder"}

// WriteDOT prints the graph for Graphviz.
func WriteDOT(w io.Writer, g *Graph) error {
	var b strings.Builder
	b.WriteString("digraph retries {\n\trankdir=LR\n\tnode [fontname=\"sans-serif\"]\n\tedge [fontname=\"sans-serif\"]\n")
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "\t%s [label=%s, shape=%s]\n", n.ID, strconv.Quote(n.Name), shapes[n.Kind])
	}
	for _, e := range g.Edges {
		style := ""
		if g.worstOf(e).Reported {
			style = ", penwidth=2"
		}
		fmt.Fprintf(&b, "\t%s -> %s [label=%s%s]\n", e.From.ID, e.To.ID, strconv.Quote(e.label()), style)
	}
	for i, p := range g.Paths {
		fmt.Fprintf(&b, "\t// path %d: %s: %s\n", i+1, p.title(), p.verdict())
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// label is the factor of an edge with those that make it.
func (e *Edge) label() string {
	if len(e.Factors) < 2 {
		return "×" + e.Total().String()
	}
	return "×" + e.Factors.String()
}
