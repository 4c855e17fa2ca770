// Package retrygraph makes a graph of the ways of attempts through the
// services of a program, and draws it.
//
// Its numbers are those of CTX301, from the same paths: what an edge says is
// how often the layers on it repeat what it leads to, and what a path says is
// what that comes to from end to end. A path may come to less than the product
// of its edges, where the error that repeats one layer does not reach another.
// A count that is not known stays "?".
package retrygraph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/link"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// Graph is what is drawn.
type Graph struct {
	Nodes []*Node
	Edges []*Edge
	Paths []*Path // the most attempts first
}

// Kind says what a node is.
type Kind string

// The kinds of nodes.
const (
	Request  Kind = "request"  // a root of requests, such as an HTTP handler
	Method   Kind = "method"   // a gRPC method that the program serves
	Function Kind = "function" // of which no request is known
	Call     Kind = "call"     // what is called in the end
)

// Node is an end of edges.
type Node struct {
	ID       string // of letters, digits and _, in the order of the nodes
	Kind     Kind
	Name     string // as it is drawn
	Key      string // of the function, as types.Func.FullName prints it, or the full method
	File     string // where the function is, if it is in the program
	Line     int
	position int // in Nodes
}

// Edge leads from a node to what it calls.
type Edge struct {
	From, To *Node
	Layers   []ctxflow.RetryStep // the outermost first
	Factors  retry.Product       // of the layers
}

// Path leads from a node without callers in the graph to a call.
type Path struct {
	Edges []*Edge
	// Product is for errors that alternate as they must for the worst, Steady for
	// one and the same error each time.
	Product retry.Product
	Steady  retry.Steady
	// Reported: CTX301 is found there, with the severity.
	Reported bool
	Severity finding.Severity
}

// Nodes of the path, in its order.
func (p *Path) Nodes() []*Node {
	nodes := []*Node{p.Edges[0].From}
	for _, e := range p.Edges {
		nodes = append(nodes, e.To)
	}
	return nodes
}

// builder makes a graph of routes.
type builder struct {
	nodes map[string]*Node
	edges map[string]*Edge
	g     *Graph
	names map[string]string // methods by the key of the function that serves them
}

// New makes the graph of the routes, which come in the order of their attempts.
func New(routes []*link.Route) *Graph {
	b := &builder{nodes: map[string]*Node{}, edges: map[string]*Edge{}, g: &Graph{}, names: map[string]string{}}
	for _, r := range routes {
		for _, h := range r.Hops {
			if h.Handler != "" {
				b.names[h.Handler] = h.Method
			}
		}
	}
	for _, r := range routes {
		for _, from := range b.starts(r) {
			b.path(from, r)
		}
	}
	for i, n := range b.g.Nodes {
		n.position, n.ID = i, fmt.Sprintf("n%d", i+1)
	}
	return b.g
}

// starts are the nodes from which a route is taken.
func (b *builder) starts(r *link.Route) []*Node {
	var starts []*Node
	for _, root := range r.Entries {
		if method := b.names[root.Key]; method != "" {
			starts = append(starts, b.method(method))
			continue
		}
		starts = append(starts, b.node(Node{Kind: Request, Name: root.Name, Key: root.Key, File: root.Position.Filename, Line: root.Position.Line}))
	}
	if starts == nil {
		at := r.Start.Position
		starts = append(starts, b.node(Node{Kind: Function, Name: r.Start.Name, Key: r.Start.Node, File: at.Filename, Line: at.Line}))
	}
	return starts
}

func (b *builder) method(full string) *Node {
	return b.node(Node{Kind: Method, Name: strings.TrimPrefix(full, "/"), Key: full})
}

func (b *builder) node(n Node) *Node {
	id := string(n.Kind) + " " + n.Key
	if b.nodes[id] == nil {
		b.nodes[id] = &n
		b.g.Nodes = append(b.g.Nodes, &n)
	}
	return b.nodes[id]
}

// path adds a route from one of its starts.
func (b *builder) path(from *Node, r *link.Route) {
	p := &Path{Product: r.Retry.Product, Steady: r.Retry.Steady, Reported: r.Reported, Severity: r.Severity}
	for _, h := range r.Hops {
		to := b.target(h)
		p.Edges = append(p.Edges, b.edge(from, to, h.Layers))
		from = to
	}
	b.g.Paths = append(b.g.Paths, p)
}

func (b *builder) target(h ctxflow.Hop) *Node {
	if h.Method != "" {
		return b.method(h.Method)
	}
	return b.node(Node{Kind: Call, Name: h.Sink.Name, Key: h.Sink.Key})
}

// edge is the one with the same ends and layers.
func (b *builder) edge(from, to *Node, layers []ctxflow.RetryStep) *Edge {
	id := fmt.Sprintf("%p %p", from, to)
	e := &Edge{From: from, To: to, Layers: layers}
	for _, l := range layers {
		id += fmt.Sprintf(" %s:%d %s", l.Position.Filename, l.Position.Line, l.Attempts)
		e.Factors = append(e.Factors, l.Attempts)
	}
	if b.edges[id] == nil {
		b.edges[id] = e
		b.g.Edges = append(b.g.Edges, e)
	}
	return b.edges[id]
}

// Total is the factor of an edge: 1 if nothing on it is repeated.
func (e *Edge) Total() retry.Attempts { return e.Factors.Total() }

// columns places each node behind all that lead to it, counted from 0. Calls
// that go round are cut where the path comes back.
func (g *Graph) columns() map[*Node]int {
	column := make(map[*Node]int)
	for range g.Nodes { // longer ways need more rounds
		changed := false
		for _, p := range g.Paths {
			seen := map[*Node]bool{}
			for _, e := range p.Edges {
				seen[e.From] = true
				if !seen[e.To] && column[e.To] < column[e.From]+1 && column[e.From]+1 < len(g.Nodes) {
					column[e.To], changed = column[e.From]+1, true
				}
			}
		}
		if !changed {
			break
		}
	}
	return column
}

// worstOf is the largest path over an edge, by which it is coloured.
func (g *Graph) worstOf(e *Edge) *Path {
	var over []*Path
	for _, p := range g.Paths {
		if slices.Contains(p.Edges, e) {
			over = append(over, p)
		}
	}
	return slices.MaxFunc(over, func(a, b *Path) int {
		return cmp.Or(compareBool(a.Reported, b.Reported), cmp.Compare(a.Severity, b.Severity))
	})
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
