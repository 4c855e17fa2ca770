package link

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
)

// Route is a way of attempts through the program, with the requests that lead
// to it.
type Route struct {
	*ctxflow.Route
	// Entries are the request roots that reach the function which the route
	// begins in, itself if it is one. There are none where no request leads.
	Entries []*ctxflow.Node
	// Reported: CTX301 is found there, with the severity.
	Reported bool
	Severity finding.Severity
}

// Routes lists the ways of attempts through the program, the most attempts
// first. One that is only the inner part of another, and is reached by no
// other request, is left out.
func Routes(pkgs []*Package) []*Route {
	p := newProgram(pkgs)
	p.connect()
	var starts []ctxflow.Retried
	var served []ctxflow.Served
	threshold := 0
	for _, pkg := range pkgs {
		if g := pkg.Flow.Graph; g != nil {
			starts, served = append(starts, g.Retried...), append(served, g.Served...)
		}
		threshold = pkg.Flow.Threshold
	}
	var routes []*Route
	for _, r := range ctxflow.Routes(starts, served, threshold) {
		route := &Route{Route: r, Entries: p.rootsAbove(r.Start.Node)}
		p.judge(route)
		routes = append(routes, route)
	}
	kept := slices.DeleteFunc(slices.Clone(routes), func(r *Route) bool {
		return slices.ContainsFunc(routes, func(of *Route) bool { return r.within(of) })
	})
	slices.SortStableFunc(kept, func(a, b *Route) int {
		return cmp.Or(
			cmp.Compare(b.Retry.Steady.Factors.Total().Worst(), a.Retry.Steady.Factors.Total().Worst()),
			cmp.Compare(b.Retry.Product.Total().Worst(), a.Retry.Product.Total().Worst()),
			cmp.Compare(a.Start.Node, b.Start.Node),
			cmp.Compare(a.Start.Position.Line, b.Start.Position.Line),
		)
	})
	return kept
}

// judge says what CTX301 makes of a route.
func (p *program) judge(r *Route) {
	n := p.nodes[r.Start.Node]
	switch {
	case !r.Nested || n == nil || n.pkg.Flow.Directives != nil && n.pkg.Flow.Directives.Allowed(r.Start.Pos, finding.NestedRetry):
	case len(r.Entries) > 0:
		r.Reported, r.Severity = true, r.Retry.Severity
	case n.Hand:
		r.Reported, r.Severity = true, finding.Info
		if r.Retry.Severity == finding.Error {
			r.Severity = finding.Warning
		}
	}
}

// rootsAbove lists the request roots that reach a node, by their keys.
func (p *program) rootsAbove(key string) []*ctxflow.Node {
	start := p.nodes[key]
	if start == nil {
		return nil
	}
	var roots []*ctxflow.Node
	seen := map[*node]bool{start: true}
	work := []*node{start}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if n.Root && !n.Test {
			roots = append(roots, n.Node)
		}
		for _, in := range n.in {
			if !seen[in.from] {
				seen[in.from] = true
				work = append(work, in.from)
			}
		}
	}
	slices.SortFunc(roots, func(a, b *ctxflow.Node) int { return strings.Compare(a.Key, b.Key) })
	return roots
}

// within reports whether the route is the inner part of another one, for each
// request that leads to it.
func (r *Route) within(of *Route) bool {
	if len(r.Retry.Layers) >= len(of.Retry.Layers) || r.last() != of.last() {
		return false
	}
	inner := of.Retry.Layers[len(of.Retry.Layers)-len(r.Retry.Layers):]
	if !slices.EqualFunc(r.Retry.Layers, inner, func(a, b ctxflow.RetryStep) bool { return a.Position == b.Position }) {
		return false
	}
	return !slices.ContainsFunc(r.Entries, func(n *ctxflow.Node) bool { return !slices.Contains(of.Entries, n) }) &&
		(len(r.Entries) > 0 || len(of.Entries) == 0)
}

func (r *Route) last() string { return r.Hops[len(r.Hops)-1].Sink.Key }
