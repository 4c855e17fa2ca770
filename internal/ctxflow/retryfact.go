package ctxflow

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// RetryPath is a path with at least one layer of retries, as other packages
// see it.
type RetryPath struct {
	Layers []RetryLayer // the outermost first
	Enters RetryWay
	Sink   Sink
	Hole   int // index of the parameter that is called, or -1
	// Method is the full method that is called, if the sink is a gRPC stub.
	Method string
}

// RetryLayer is one layer of retries. Error sets are retry.ErrorSet.
type RetryLayer struct {
	Name      string
	Through   string // the executor, if any
	File      string // dir/file.go
	Line      int
	Kind      uint8
	Count     RetryCount
	Retries   int
	Stops     []string
	Needs     string
	Gives     RetryWay
	Throttled bool
	Strips    bool // of the marks in Stops
}

// RetryWay is what becomes of an error between two layers.
type RetryWay struct {
	Keeps, Others int
	Marks         []string
}

// RetryCount is a number of attempts: from Least to Most (-1: without end; 0
// with a Least of 2: unknown), or Add more than a parameter or a field below
// it.
type RetryCount struct {
	Least, Most int
	Param       int // -1: none
	Path        string
	Add         int
}

const (
	mostUnknown   = 0
	mostUnbounded = -1
)

func (c RetryCount) String() string {
	if c.Param >= 0 {
		text := fmt.Sprintf("#%d", c.Param)
		if c.Path != "" {
			text += "." + c.Path
		}
		if c.Add != 0 {
			text += fmt.Sprintf("%+d", c.Add)
		}
		return text
	}
	return c.attempts().String()
}

func (c RetryCount) attempts() retry.Attempts {
	switch c.Most {
	case mostUnbounded:
		return retry.Unbounded()
	case mostUnknown:
		if c.Least > 0 {
			return retry.Unknown()
		}
	}
	return retry.Between(c.Least, c.Most)
}

func (p RetryPath) String() string {
	var parts []string
	for _, l := range p.Layers {
		parts = append(parts, fmt.Sprintf("%s×%s", l.Count, l.Name))
	}
	if p.Hole >= 0 {
		parts = append(parts, fmt.Sprintf("#%d", p.Hole))
	} else {
		parts = append(parts, p.Sink.Name)
	}
	return fmt.Sprintf("retries(%s)", strings.Join(parts, " > "))
}

// retryFacts is what an importing package must know of f's paths.
func retryFacts(f *function) []RetryPath {
	var out []RetryPath
	for _, p := range f.paths {
		rp := pathFact(f, p)
		switch {
		case p.hole != nil && p.hole.Parent() == f.ssa:
			rp.Hole = paramIndex(p.hole)
		case p.hole != nil:
			continue
		}
		if len(p.layers) == 0 {
			continue
		}
		out = append(out, rp)
	}
	return out
}

func pathFact(f *function, p *retryPath) RetryPath {
	rp := RetryPath{Enters: wayFact(p.enters), Sink: p.sink, Hole: -1, Method: p.method}
	for _, l := range p.layers {
		rp.Layers = append(rp.Layers, RetryLayer{
			Name: l.name, Through: l.through, File: l.posn.Filename, Line: l.posn.Line, Kind: uint8(l.kind), Count: countFact(f, l.count),
			Retries: int(l.retries), Stops: l.stops, Needs: l.needs, Gives: wayFact(l.gives), Throttled: l.throttle, Strips: l.strips,
		})
	}
	return rp
}

func wayFact(w way) RetryWay {
	return RetryWay{Keeps: int(w.Keeps), Others: int(w.Others), Marks: w.marks}
}

func countFact(f *function, c count) RetryCount {
	if c.param != nil && c.param.Parent() == f.ssa {
		return RetryCount{Param: paramIndex(c.param), Path: c.path, Add: c.add}
	}
	out := RetryCount{Param: -1, Least: c.value().Least()}
	switch n, ok := c.value().Most(); {
	case c.value().IsUnbounded():
		out.Least, out.Most = 0, mostUnbounded
	case c.value().IsUnknown() || !ok:
		out.Most = mostUnknown
	default:
		out.Most = n
	}
	return out
}

// importedPaths are the paths that another package's fact tells of.
func (e *engine) importedPaths(t callee.Target) []*retryPath {
	fact := e.importedFact(t.Obj)
	if fact == nil {
		return nil
	}
	var out []*retryPath
	for _, rp := range fact.Retries {
		out = append(out, rp.path(func(c RetryCount) count { return e.importedCount(c, t) }))
	}
	return out
}

func (rp RetryPath) path(counted func(RetryCount) count) *retryPath {
	p := &retryPath{enters: wayOf(rp.Enters), sink: rp.Sink, index: rp.Hole, method: rp.Method}
	for _, l := range rp.Layers {
		p.layers = append(p.layers, &layer{
			name: l.Name, through: l.Through, posn: token.Position{Filename: l.File, Line: l.Line}, kind: retry.Kind(l.Kind), count: counted(l.Count),
			retries: retry.ErrorSet(l.Retries), stops: l.Stops, needs: l.Needs, gives: wayOf(l.Gives), throttle: l.Throttled, strips: l.Strips,
		})
	}
	return p
}

func wayOf(w RetryWay) way {
	return way{Mapping: retry.Mapping{Keeps: retry.ErrorSet(w.Keeps), Others: retry.ErrorSet(w.Others)}, marks: w.Marks}
}

// importedCount is a count at a call of another package's function.
func (e *engine) importedCount(c RetryCount, t callee.Target) count {
	if c.Param < 0 {
		return known(c.attempts())
	}
	if c.Param >= len(t.Args) {
		return known(retry.Unknown())
	}
	return e.countFrom(t.Args[c.Param], c.Path, c.Add)
}
