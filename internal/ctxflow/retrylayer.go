package ctxflow

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/retry"
)

// This file holds the layers that lie over a call, what passes between them, and
// how they add up.

// layer is one layer of retries on a path.
type layer struct {
	name     string         // of the function that retries
	through  string         // the executor by which it does, if any
	home     string         // key of the function; "" in other packages
	posn     token.Position // with a short name of the file, for facts
	pos      token.Pos      // tells layers of one posn apart
	kind     retry.Kind
	count    count
	retries  retry.ErrorSet
	stops    []string
	needs    string // the mark without which it does not retry, or ""
	gives    way    // from what it sees to what its caller sees
	strips   bool   // marks are taken off what it gives up with
	throttle bool
	marks    bool // what it calls marks errors as ones to stop at, and it strips the marks
}

// way is what becomes of an error between two layers.
type way struct {
	retry.Mapping
	marks []string // certainly in the chain of what arrives
}

var straight = way{Mapping: retry.Mapping{Keeps: retry.AnyError | retry.Errors(retry.OK)}}

// then is the way w followed by x.
func (w way) then(x way) way {
	out := way{Mapping: w.Mapping.Then(x.Mapping), marks: slices.Clone(x.marks)}
	if x.Keeps != 0 { // what passes keeps its marks
		out.marks = append(out.marks, w.marks...)
	}
	slices.Sort(out.marks)
	out.marks = slices.Compact(out.marks)
	return out
}

// retryPath is a path from a function to a sink.
type retryPath struct {
	layers []*layer
	enters way // from the sink's error to what the innermost layer sees
	sink   Sink
	hole   *ssa.Parameter // the parameter that is called, if that is the sink
	index  int            // of the hole, if it is in another package
	method string         // the full method that a stub calls, if that is the sink
	via    token.Pos      // the call in the function through which it leads
}

// out is the way from the sink's error, once all layers have given up, to what
// the function returns.
func (p *retryPath) out() way {
	w := p.enters
	for i := len(p.layers) - 1; i >= 0; i-- {
		l := p.layers[i]
		if l.strips {
			w.marks = slices.DeleteFunc(slices.Clone(w.marks), func(m string) bool { return m == l.needs || slices.Contains(l.stops, m) })
		}
		w = w.then(l.gives)
	}
	return w
}

// returned is the path with another step on the way of its error.
func (p *retryPath) returned(x way) *retryPath {
	q := *p
	if len(p.layers) == 0 {
		q.enters = p.enters.then(x)
		return &q
	}
	q.layers = slices.Clone(p.layers)
	top := *q.layers[0]
	top.gives = top.gives.then(x)
	q.layers[0] = &top
	return &q
}

// bottom are the errors that a sink may fail with, the same one each time,
// when it is overloaded or away.
func (p *retryPath) bottom() retry.ErrorSet {
	return retry.Errors(retry.Unavailable, retry.ResourceExhausted, retry.DeadlineExceeded, retry.Aborted, retry.Internal, retry.UnknownCode, retry.Plain)
}

// under puts a layer over the path, unless no error that comes up the path
// makes the layer try again. No layer lies over itself: a path on which it
// seems to is one through an interface to the value that calls it.
func (p *retryPath) under(l *layer) (*retryPath, bool) {
	if slices.ContainsFunc(p.layers, func(below *layer) bool { return below.same(l) }) {
		return nil, false
	}
	w := p.out()
	seen := w.Apply(p.bottom())
	if !seen.Meets(l.retries) || slices.ContainsFunc(l.stops, func(m string) bool { return slices.Contains(w.marks, m) }) {
		return nil, false
	}
	if l.needs != "" && !slices.Contains(w.marks, l.needs) {
		return nil, false
	}
	q := *p
	q.layers = append([]*layer{l}, p.layers...)
	return &q, true
}

// same reports whether two layers are one and the same.
func (l *layer) same(m *layer) bool {
	return l.posn == m.posn && l.pos == m.pos && l.name == m.name
}

// stacked puts the layers of another path, which ends in a call of this one,
// over it, and counts those that try again.
func (p *retryPath) stacked(outer *retryPath) (*retryPath, int) {
	q := p.returned(outer.enters)
	added := 0
	for _, l := range slices.Backward(outer.layers) {
		if up, ok := q.under(l); ok {
			q = up
			added++
			continue
		}
		q = q.returned(l.gives)
	}
	return q, added
}

// attempts is the product of the layers.
func (p *retryPath) attempts() retry.Attempts {
	total := retry.Exactly(1)
	for _, l := range p.layers {
		total = total.Mul(l.attempts())
	}
	return total
}

func (l *layer) attempts() retry.Attempts {
	if l.kind == retry.Job || l.kind == retry.Connection {
		return retry.Exactly(1)
	}
	return l.count.value()
}

// keepLargest keeps the paths with the most attempts, one per sink and first
// layer, and all that lead to a parameter.
func keepLargest(paths []*retryPath) []*retryPath {
	slices.SortStableFunc(paths, func(a, b *retryPath) int {
		return cmp.Or(
			cmp.Compare(len(b.layers), len(a.layers)),
			cmp.Compare(b.attempts().Worst(), a.attempts().Worst()),
			cmp.Compare(a.via, b.via),
		)
	})
	var out []*retryPath
	bare := 0
	for _, p := range paths {
		if len(p.layers) > maxLayers || slices.ContainsFunc(out, func(q *retryPath) bool { return samePath(p, q) }) {
			continue
		}
		if len(p.layers) == 0 && p.hole == nil {
			if bare++; bare > 2 {
				continue
			}
		}
		if len(out) >= maxPaths && p.hole == nil {
			continue
		}
		out = append(out, p)
	}
	return out
}

// maxLayers bounds the layers of a path: more come from a recursion.
const maxLayers = 5

func samePath(a, b *retryPath) bool {
	if a.method != b.method || a.hole != b.hole || a.index != b.index || a.sink != b.sink || len(a.layers) != len(b.layers) {
		return false
	}
	for i := range a.layers {
		if a.layers[i].posn != b.layers[i].posn || a.layers[i].count != b.layers[i].count {
			return false
		}
	}
	return a.out().Mapping == b.out().Mapping && slices.Equal(a.out().marks, b.out().marks)
}
