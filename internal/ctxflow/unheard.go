package ctxflow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
)

// This file finds work of which no call takes a context and that lasts all the
// same: a walk over a tree of files (CTX204), and reads from a connection to
// which nobody gives a deadline (CTX203). Much of such work is right, for it is
// short, or ended by other means that a function does not show; it counts only
// where a function takes a context and nothing that it does asks it.

// unheard lists such work of f, at most one of each kind.
func (e *engine) unheard(f *function) []*lapse {
	if !e.asksNobody(f) {
		return nil
	}
	var out []*lapse
	seen := map[finding.Code]bool{}
	for _, cs := range f.calls {
		call, ok := cs.instr.(*ssa.Call)
		if !ok {
			continue
		}
		l := &lapse{home: f, at: call, pos: call.Pos(), unsafe: true}
		switch {
		case walksFiles(&call.Call):
			l.code = finding.UncancellableLoop
			l.sink = Sink{Key: "path/filepath.Walk", Name: "a tree of files", Known: true}
		case readsConn(&call.Call) && !e.setsDeadlines():
			l.code = finding.UncancellableWait
			l.sink = Sink{Key: connRead, Name: "the read from a connection", Class: string(catalog.Net), Known: true}
		default:
			continue
		}
		if !seen[l.code] {
			seen[l.code] = true
			out = append(out, l)
		}
	}
	return out
}

const connRead = "(net.Conn).Read"

// ReadsConn reports whether a verdict is about a read from a connection, which a
// context ends only by the connection's deadline.
func (v *Verdict) ReadsConn() bool { return v.Sink.Key == connRead }

// asksNobody reports whether f takes a context, and neither it nor what it hands
// it to asks it.
func (e *engine) asksNobody(f *function) bool {
	takes := false
	for _, c := range f.carriers {
		if e.consulted[paramKey{f.ssa, c.index}] {
			return false
		}
		takes = takes || c.isContext() && !c.blank()
	}
	return takes
}

func walksFiles(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	return fn != nil && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "path/filepath" && (fn.Name() == "Walk" || fn.Name() == "WalkDir")
}

// readsConn matches a read from a connection that is kept in a field: by its own
// method, or by a function of io that reads all it has asked for.
func readsConn(c *ssa.CallCommon) bool {
	if c.IsInvoke() {
		return c.Method.Name() == "Read" && isKeptConn(c.Value)
	}
	fn := c.StaticCallee()
	switch {
	case fn == nil || fn.Pkg == nil || len(c.Args) == 0:
		return false
	case fn.Signature.Recv() != nil:
		return fn.Name() == "Read" && isKeptConn(c.Args[0])
	case fn.Pkg.Pkg.Path() != "io" || !slices.Contains([]string{"ReadFull", "ReadAtLeast", "ReadAll"}, fn.Name()):
		return false
	}
	return isKeptConn(c.Args[0])
}

func isKeptConn(v ssa.Value) bool {
	for range 4 {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.FieldAddr: // the part of a *net.TCPConn that has the method
			if isConn(x.X.Type()) {
				v = x.X
			}
		}
	}
	return isConn(v.Type()) && placeOf(v).path != ""
}

// isConn reports whether a type is net.Conn, or one of those in net and
// crypto/tls that implement it.
func isConn(t types.Type) bool {
	n := callee.Named(t)
	if n == nil || n.Obj().Pkg() == nil {
		return false
	}
	switch n.Obj().Pkg().Path() {
	case "net":
		return slices.Contains([]string{"Conn", "TCPConn", "UnixConn", "UDPConn"}, n.Obj().Name())
	case "crypto/tls":
		return n.Obj().Name() == "Conn"
	}
	return false
}

// setsDeadlines reports whether the package gives deadlines to connections
// anywhere, or wraps them, which may be for the same purpose.
func (e *engine) setsDeadlines() bool {
	if e.deadlines == nil {
		found := slices.ContainsFunc(e.funcs, func(f *function) bool {
			return slices.ContainsFunc(f.calls, func(cs *callsite) bool {
				return slices.ContainsFunc(cs.targets, func(t callee.Target) bool {
					return t.Obj != nil && (t.Obj.Name() == "SetDeadline" || t.Obj.Name() == "SetReadDeadline")
				})
			})
		})
		e.deadlines = &found
	}
	return *e.deadlines
}
