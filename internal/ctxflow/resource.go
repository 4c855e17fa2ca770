package ctxflow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/provenance"
)

// keepsResult: what the call brings is kept in the receiver, a global or a
// container of theirs: a pooled connection, a client, a cached value serves
// later callers too, and must not die with the first.
func (e *engine) keepsResult(p *passage) bool {
	call, ok := p.site.instr.(*ssa.Call)
	if !ok {
		return false
	}
	k := keeper{e: e, seen: map[ssa.Value]bool{}}
	return k.comesFrom(call)
}

// keeper follows a value forward, through copies, wrappers, containers and
// what is decoded from it, to a place that outlives the call.
type keeper struct {
	e    *engine
	seen map[ssa.Value]bool
}

// comesFrom reports whether a result of the call, or what it writes through a
// pointer that it is given, is kept.
func (k *keeper) comesFrom(call *ssa.Call) bool {
	if _, tuple := call.Type().(*types.Tuple); tuple {
		for _, ref := range *call.Referrers() {
			if ex, ok := ref.(*ssa.Extract); ok && !isError(ex.Type()) && k.kept(ex) {
				return true
			}
		}
	} else if !isError(call.Type()) && k.kept(call) {
		return true
	}
	for _, arg := range call.Call.Args {
		if out := outParameter(arg); out != nil && k.kept(out) {
			return true
		}
	}
	return false
}

// outParameter is the local whose address an argument passes, or that of one
// in its list of variadic arguments, or nil.
func outParameter(arg ssa.Value) *ssa.Alloc {
	switch a := arg.(type) {
	case *ssa.Alloc:
		if !provenance.Carries(a.Type()) {
			return a
		}
	case *ssa.MakeInterface:
		return outParameter(a.X)
	case *ssa.Slice:
		vals, _ := variadic(a)
		for _, val := range vals {
			if out := outParameter(val); out != nil {
				return out
			}
		}
	}
	return nil
}

// maxKept bounds how many values are followed; longer ways are not seen.
const maxKept = 60

func (k *keeper) kept(v ssa.Value) bool {
	if v == nil || k.seen[v] || len(k.seen) > maxKept || v.Referrers() == nil {
		return false
	}
	k.seen[v] = true
	for _, ref := range *v.Referrers() {
		if k.keptBy(v, ref) {
			return true
		}
	}
	return false
}

func (k *keeper) keptBy(v ssa.Value, ref ssa.Instruction) bool {
	switch ref := ref.(type) {
	case *ssa.Store:
		return ref.Val == v && (k.e.longLived(ref.Addr) || k.kept(localBase(ref.Addr)))
	case *ssa.MapUpdate:
		return ref.Value == v && (k.e.longLived(ref.Map) || k.kept(ref.Map))
	case *ssa.Call:
		return k.keptByCall(v, ref)
	case *ssa.Extract:
		return !isError(ref.Type()) && k.kept(ref)
	case *ssa.UnOp:
		return ref.Op == token.MUL && k.kept(ref)
	case *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.Convert, *ssa.Phi, *ssa.TypeAssert,
		*ssa.FieldAddr, *ssa.Field, *ssa.Slice, *ssa.IndexAddr, *ssa.Index:
		return k.kept(ref.(ssa.Value))
	}
	return false
}

// keptByCall: the value is put into a container that outlives the call, or
// something is made or read from it that is kept in its turn.
func (k *keeper) keptByCall(v ssa.Value, call *ssa.Call) bool {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		return b.Name() == "append" && k.kept(call)
	}
	if takesContext(call.Call.Signature()) {
		return false // further work, not a container
	}
	for _, t := range k.e.calls.Targets(&call.Call) {
		if t.RecvShift() == 1 && t.Args[0] != v && k.e.longLived(t.Args[0]) && puts(t.Obj.Name()) {
			return true
		}
	}
	return k.comesFrom(call)
}

// puts reports whether a method puts what it is given into a container, by
// the names of sync.Map, atomic.Pointer and the usual caches.
func puts(name string) bool {
	for _, verb := range []string{"Add", "Cache", "CompareAndSwap", "Insert", "LoadOrStore", "Put", "Set", "Store", "Swap"} {
		if hasVerb(name, verb) {
			return true
		}
	}
	return false
}

// localBase is the local variable that an address lies in, or nil.
func localBase(addr ssa.Value) ssa.Value {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
		case *ssa.IndexAddr:
			addr = a.X
		case *ssa.Alloc:
			return a
		default:
			return nil
		}
	}
}

// longLived reports whether an address lies in a global or behind the
// receiver of the function, or of the function around a closure.
//
// A receiver that every caller in the package has just made is theirs alone:
// a view of one request keeps nothing for the next.
func (e *engine) longLived(addr ssa.Value) bool { return e.longLivedAt(placeOf(addr)) }

func (e *engine) longLivedAt(at place) bool {
	switch root := at.root.(type) {
	case *ssa.Global:
		return true
	case *ssa.Parameter:
		recv := root.Parent().Signature.Recv()
		return recv != nil && root.Parent().Params[0] == root && at.path != "" && !e.madePerCall(root.Parent())
	}
	return false
}

// madePerCall reports whether every caller of a method in this package calls
// it on a value that the caller has made.
func (e *engine) madePerCall(method *ssa.Function) bool {
	f := e.bySSA[method]
	if f == nil || len(f.in) == 0 {
		return false
	}
	for _, in := range f.in {
		if in.handed || len(in.target.Args) == 0 {
			return false
		}
		a, ok := placeOf(in.target.Args[0]).root.(*ssa.Alloc)
		if !ok || a.Parent() != in.from.ssa {
			return false
		}
	}
	return true
}
