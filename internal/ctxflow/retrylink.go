package ctxflow

import (
	"go/types"
	"slices"
	"strings"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// This file joins retries across services: what a client tries again runs the
// handler on the other side, which may try again what it calls. The join is
// the command's, which has both sides at hand; it takes for granted that what
// is in one program's code is deployed together.

// StubCall is a path on which a package retries a call of a gRPC method.
type StubCall struct {
	Path    RetryPath
	Verdict *Verdict // without what the join finds
}

// Served is a method that the package serves, with the paths of its handler.
type Served struct {
	Method  string
	Handler string // key of the function
	Paths   []RetryPath
}

// stubCalls lists the paths to stubs whose outermost layer is the function's
// own.
func (e *engine) stubCalls() []StubCall {
	var out []StubCall
	for _, f := range e.funcs {
		if e.inTest(f.pos()) || e.inGenerated(f.pos()) {
			continue
		}
		for _, p := range f.paths {
			if p.method == "" || len(p.layers) == 0 || p.layers[0].home != f.key() || !p.via.IsValid() {
				continue
			}
			if e.allows.Allowed(p.via, finding.NestedRetry) {
				continue
			}
			out = append(out, StubCall{pathFact(f, p), e.retryVerdict(finding.NestedRetry, f, p.via, p.sink)})
		}
	}
	return out
}

// served lists the methods of generated servers that the package implements.
func (e *engine) served() []Served {
	var out []Served
	for _, f := range e.funcs {
		if f.obj == nil || f.root == nil || f.root.Grade != finding.GradeRequest || e.inTest(f.pos()) || e.inGenerated(f.pos()) {
			continue
		}
		method := e.servedMethod(f.obj)
		if method == "" {
			continue
		}
		s := Served{Method: method, Handler: f.key()}
		for _, p := range f.paths {
			if p.hole == nil {
				s.Paths = append(s.Paths, pathFact(f, p))
			}
		}
		out = append(out, s)
	}
	return out
}

// servedMethod is the full method that a server's method serves, or "".
func (e *engine) servedMethod(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return ""
	}
	for _, p := range append(e.pass.Pkg.Imports(), e.pass.Pkg) {
		scope := p.Scope()
		for _, name := range scope.Names() {
			service, ok := strings.CutSuffix(name, "Server")
			if !ok || strings.HasPrefix(name, "Unimplemented") || strings.HasPrefix(name, "Unsafe") || scope.Lookup("Register"+name) == nil {
				continue
			}
			iface, ok := scope.Lookup(name).Type().Underlying().(*types.Interface)
			if !ok || !hasMethod(iface, fn.Name()) || !types.Implements(recv.Type(), iface) && !types.Implements(types.NewPointer(recv.Type()), iface) {
				continue
			}
			client := scope.Lookup(service + "Client")
			if client == nil {
				continue
			}
			obj, _, _ := types.LookupFieldOrMethod(client.Type(), false, p, fn.Name())
			if m, ok := obj.(*types.Func); ok && callee.Named(client.Type()) != nil {
				return e.fullMethod(m)
			}
		}
	}
	return ""
}

func hasMethod(iface *types.Interface, name string) bool {
	for m := range iface.Methods() {
		if m.Name() == name {
			return true
		}
	}
	return false
}

// maxServices bounds how many services one path crosses.
const maxServices = 4

// JoinServices continues the paths of stub calls by those of the handlers that
// they reach, and returns the nests that come to the threshold.
func JoinServices(calls []StubCall, served []Served, threshold int) []*Verdict {
	if threshold == 0 {
		threshold = DefaultThreshold
	}
	j := newServices(served)
	var out []*Verdict
	for _, c := range calls {
		outer := c.Path.path(knownCount)
		var worst *Retry
		var sink Sink
		for _, q := range j.behind(c.Path.Method, 1) {
			joined := acrossServices(outer, q)
			if joined == nil || len(joined.layers) <= len(outer.layers) || joined.layers[0] != outer.layers[0] {
				continue // the handler's own nest, which is reported there
			}
			r := joined.nested(threshold)
			if r != nil && (worst == nil || r.Steady.Factors.Total().Worst() > worst.Steady.Factors.Total().Worst()) {
				worst, sink = r, joined.sink
			}
		}
		if worst != nil {
			v := *c.Verdict
			v.Retry, v.Sink, v.Entries = worst, sink, slices.Clip(v.Entries)
			v.Retry.Why = "services"
			out = append(out, &v)
		}
	}
	return out
}

func knownCount(c RetryCount) count {
	if c.Param >= 0 {
		return known(retry.Unknown())
	}
	return known(c.attempts())
}

// services knows the handlers of the methods that a program serves, and what
// they call. A method that several functions serve has none, for which of them
// answers is not known.
type services struct {
	paths    map[string][]*retryPath
	handlers map[string]string // keys of the functions, "" for several
}

func newServices(served []Served) *services {
	j := &services{paths: map[string][]*retryPath{}, handlers: map[string]string{}}
	for _, s := range served {
		if old, seen := j.handlers[s.Method]; seen && old != s.Handler {
			j.handlers[s.Method] = ""
			continue
		}
		j.handlers[s.Method] = s.Handler
	}
	for _, s := range served {
		if j.handlers[s.Method] == "" {
			continue
		}
		for _, rp := range s.Paths {
			j.paths[s.Method] = append(j.paths[s.Method], rp.path(knownCount))
		}
	}
	return j
}

// behind lists the paths of a method's handlers, continued into the services
// that they call.
func (j *services) behind(method string, depth int) []*retryPath {
	var out []*retryPath
	for _, p := range j.paths[method] {
		out = append(out, p)
		if p.method == "" || p.method == method || depth >= maxServices {
			continue
		}
		for _, q := range j.behind(p.method, depth+1) {
			if joined := acrossServices(p, q); joined != nil {
				out = append(out, joined)
			}
		}
	}
	return out
}

// acrossServices puts the layers of a client's path over the path of the
// handler that it reaches, whose error crosses a connection.
func acrossServices(outer, inner *retryPath) *retryPath {
	q, _ := inner.returned(way{Mapping: retry.OverConnection}).stacked(outer)
	if len(q.layers) > maxLayers {
		return nil
	}
	return q
}
