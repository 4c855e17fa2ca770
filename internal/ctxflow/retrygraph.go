package ctxflow

import (
	"go/token"

	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// This file follows attempts through the whole program for those who want to
// see all of them, and not only those that come to a finding. It joins them as
// JoinServices does, so that the numbers are the same.

// Retried is a path on which a function retries what it calls, or on which a
// request's handler calls a method of a service without retrying it.
type Retried struct {
	Node     string // key of the function's node
	Name     string
	Pos      token.Pos // of the call that the path begins with
	Position token.Position
	Path     RetryPath
}

// Route is a way of attempts, through the services that it crosses.
type Route struct {
	Start Retried
	Hops  []Hop // the outermost first; the last leads to the sink
	// Retry counts the attempts as CTX301 does, its severity being that at grade
	// R. Nested says whether they come to one.
	Retry  *Retry
	Nested bool
}

// Hop leads to a method that the program serves, or to the sink.
type Hop struct {
	Method  string // "" for the sink
	Handler string // key of the function that serves the method
	Sink    Sink
	Layers  []RetryStep // over it, in the service that it starts in
}

// retried lists the paths whose outermost layer is the function's own, and
// those of requests to stubs.
func (e *engine) retried() []Retried {
	var out []Retried
	for _, f := range e.funcs {
		if e.inTest(f.pos()) || e.inGenerated(f.pos()) {
			continue
		}
		request := f.root != nil && f.root.Grade == finding.GradeRequest
		for _, p := range f.paths {
			own := len(p.layers) > 0 && p.layers[0].home == f.key()
			if p.hole != nil || !p.via.IsValid() || !own && !(request && p.method != "" && len(p.layers) == 0) {
				continue
			}
			out = append(out, Retried{f.nodeKey(), f.name(), p.via, e.pass.Fset.Position(p.via), pathFact(f, p)})
		}
	}
	return out
}

// Routes continues the paths of a program into the services that they call.
func Routes(starts []Retried, served []Served, threshold int) []*Route {
	if threshold == 0 {
		threshold = DefaultThreshold
	}
	j := newServices(served)
	var out []*Route
	for _, s := range starts {
		p := s.Path.path(knownCount)
		for _, w := range j.onward(p, 0) {
			r := &Route{Start: s, Hops: w.hops, Retry: w.path.counted()}
			r.Nested = w.path.nested(threshold) != nil
			out = append(out, r)
		}
	}
	return out
}

// crossing is a path with the hops of which it consists.
type crossing struct {
	path *retryPath
	hops []Hop
}

// onward lists the ways on from a path: what the handler of its method does,
// or nothing more.
func (j *services) onward(p *retryPath, depth int) []crossing {
	hop := Hop{Sink: p.sink}
	for _, l := range p.layers {
		hop.Layers = append(hop.Layers, l.step())
	}
	if p.method == "" || depth >= maxServices || j.handlers[p.method] == "" {
		return []crossing{{p, []Hop{hop}}}
	}
	hop.Method, hop.Handler = p.method, j.handlers[p.method]
	var out []crossing
	for _, q := range j.paths[p.method] {
		if q.method == p.method {
			continue
		}
		for _, w := range j.onward(q, depth+1) {
			if joined := acrossServices(p, w.path); joined != nil {
				out = append(out, crossing{joined, append([]Hop{hop}, w.hops...)})
			}
		}
	}
	if out == nil {
		return []crossing{{p, []Hop{hop}}}
	}
	return out
}

// counted is what the path's layers come to, whether or not it is a finding.
func (p *retryPath) counted() *Retry {
	layers := retryLayers(p)
	r := &Retry{Severity: finding.Warning, Product: retry.Adversarial(layers)}
	for _, l := range p.layers {
		r.Layers = append(r.Layers, l.step())
	}
	// What the innermost layer sees is what becomes of the sink's error.
	r.Steady = retry.SingleCause(layers, p.enters.Apply(p.bottom()))
	switch total := r.Steady.Factors.Total(); {
	case retry.Throttled(layers):
		r.Severity = finding.Info
	case total.IsUnbounded() || !total.IsUnknown() && total.Worst() >= severeFactor:
		r.Severity = finding.Error
	}
	return r
}
