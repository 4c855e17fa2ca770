package ctxflow

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/provenance"
)

// onlyPassedDown reports whether a root goes nowhere but into calls that run
// before the function goes on, directly or through derivations and locals.
// Only then does replacing the root change nothing but those calls. returned
// says whether handing it back to the caller is meant as well.
func onlyPassedDown(root *ssa.Call, returned bool) bool {
	if root == nil {
		return false
	}
	w := usesWalk{seen: map[ssa.Value]bool{}, returned: returned}
	return w.safe(root)
}

type usesWalk struct {
	seen     map[ssa.Value]bool
	returned bool
}

func (w *usesWalk) safe(v ssa.Value) bool {
	if w.seen[v] || v.Referrers() == nil {
		return true
	}
	w.seen[v] = true
	for _, ref := range *v.Referrers() {
		if !w.safeUse(v, ref) {
			return false
		}
	}
	return true
}

func (w *usesWalk) safeUse(v ssa.Value, ref ssa.Instruction) bool {
	switch ref := ref.(type) {
	case *ssa.Call: // follow the result only if it is a context again
		return !returnsContext(ref) || w.safe(ref)
	case *ssa.Extract:
		return !provenance.Carries(ref.Type()) || w.safe(ref)
	case *ssa.Phi:
		return w.safe(ref)
	case *ssa.ChangeInterface:
		return w.safe(ref)
	case *ssa.MakeInterface:
		return w.safe(ref)
	case *ssa.UnOp: // a read of the local that holds it
		return w.safe(ref)
	case *ssa.Store:
		a, local := ref.Addr.(*ssa.Alloc)
		return ref.Addr == v || local && !a.Heap && w.safe(a)
	case *ssa.Return:
		return w.returned
	case *ssa.DebugRef, *ssa.If, *ssa.BinOp, *ssa.Defer:
		return true
	}
	return false
}

func returnsContext(c *ssa.Call) bool {
	results := c.Call.Signature().Results()
	for i := range results.Len() {
		if provenance.Carries(results.At(i).Type()) {
			return true
		}
	}
	return false
}
