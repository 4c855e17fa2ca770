package provenance

import (
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"
	"honnef.co/go/tools/analysis/dfa"
	"honnef.co/go/tools/analysis/dfa/dense"

	"github.com/ctxprop/ctxprop/internal/callee"
)

// reaching holds, for one function, which stores to which local variables
// reach the start of each block: a forward may analysis over its blocks.
//
// Only locals whose address is taken are here, which SSA has not lifted to
// values: mostly those that closures capture.
type reaching struct {
	stores []*ssa.Store
	index  map[*ssa.Store]int32
	result *dense.Analysis[defs, *ssa.BasicBlock]
}

// defs maps a local to the indices of the stores whose value it may hold.
type defs = map[*ssa.Alloc]storeSet

// storeSet is a sorted set of store indices; nil is the empty set.
type storeSet []int32

type storeSetLattice struct{}

func (storeSetLattice) Ident() storeSet { return nil }

func (storeSetLattice) Equals(a, b storeSet) bool { return slices.Equal(a, b) }

func (storeSetLattice) Merge(a, b storeSet) storeSet {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

type defsLattice = dfa.MapLattice[*ssa.Alloc, storeSet, storeSetLattice]

// blockGraph is a function's control-flow graph.
type blockGraph struct{ fn *ssa.Function }

func (g blockGraph) Nodes() iter.Seq[*ssa.BasicBlock] { return slices.Values(g.fn.Blocks) }
func (g blockGraph) NumNodes() int                    { return len(g.fn.Blocks) }
func (g blockGraph) Out(b *ssa.BasicBlock) iter.Seq[*ssa.BasicBlock] {
	return slices.Values(b.Succs)
}

func (t *Tracer) reachingOf(fn *ssa.Function) *reaching {
	if r := t.reach[fn]; r != nil {
		return r
	}
	r := &reaching{index: map[*ssa.Store]int32{}}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if st, ok := instr.(*ssa.Store); ok && t.isTracked(st) {
				r.index[st] = int32(len(r.stores))
				r.stores = append(r.stores, st)
			}
		}
	}
	r.result = dense.Forward[defsLattice](blockGraph{fn}, nil, func(from, _ *ssa.BasicBlock, in defs) defs {
		return r.after(in, from.Instrs)
	})
	t.reach[fn] = r
	return r
}

func (t *Tracer) isTracked(st *ssa.Store) bool {
	_, local := st.Addr.(*ssa.Alloc)
	return local && t.Carries(st.Val.Type())
}

// after applies the stores among instrs.
func (r *reaching) after(in defs, instrs []ssa.Instruction) defs {
	out, copied := in, false
	for _, instr := range instrs {
		st, ok := instr.(*ssa.Store)
		if !ok {
			continue
		}
		i, ok := r.index[st]
		if !ok {
			continue
		}
		if !copied {
			out, copied = cloneDefs(in), true
		}
		out[st.Addr.(*ssa.Alloc)] = storeSet{i}
	}
	return out
}

func cloneDefs(in defs) defs {
	out := make(defs, len(in)+1)
	for k, v := range in {
		out[k] = v
	}
	return out
}

// reachingStores lists the stores to a whose value it may hold just before
// the instruction, which is in a's function.
func (t *Tracer) reachingStores(a *ssa.Alloc, at ssa.Instruction) []*ssa.Store {
	if at.Parent() != a.Parent() {
		return nil
	}
	r := t.reachingOf(a.Parent())
	if len(r.stores) == 0 {
		return nil
	}
	b := at.Block()
	state := r.after(r.result.In(b), b.Instrs[:slices.Index(b.Instrs, at)])
	var out []*ssa.Store
	for _, i := range state[a] {
		out = append(out, r.stores[i])
	}
	return out
}

// storedByClosures lists what closures store in a local that they capture.
func storedByClosures(a *ssa.Alloc) []ssa.Value {
	vals, _ := callee.StoredIn(a)
	return slices.DeleteFunc(vals, func(v ssa.Value) bool {
		for _, ref := range *a.Referrers() {
			if st, ok := ref.(*ssa.Store); ok && st.Val == v {
				return true
			}
		}
		return false
	})
}

// mayFollow reports whether control can go from instruction a to b of the
// same function.
func mayFollow(a, b ssa.Instruction) bool {
	if a.Parent() != b.Parent() {
		return false
	}
	if a.Block() == b.Block() && slices.Index(a.Block().Instrs, a) < slices.Index(a.Block().Instrs, b) {
		return true
	}
	seen := map[*ssa.BasicBlock]bool{}
	work := slices.Clone(a.Block().Succs)
	for len(work) > 0 {
		blk := work[len(work)-1]
		work = work[:len(work)-1]
		if blk == b.Block() {
			return true
		}
		if !seen[blk] {
			seen[blk] = true
			work = append(work, blk.Succs...)
		}
	}
	return false
}
