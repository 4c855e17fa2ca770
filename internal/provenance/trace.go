package provenance

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
)

// Oracle knows the summaries of the user's own functions.
type Oracle interface {
	// ResultOrigins says where the result-th result of the target comes
	// from. ok is false if nothing is known of it.
	ResultOrigins(t callee.Target, result int) (os []ResultOrigin, ok bool)
}

// Tracer computes origins inside one package. It is not safe for concurrent use.
type Tracer struct {
	Catalog *catalog.Catalog
	Calls   *callee.Resolver
	Oracle  Oracle

	memo    map[ssa.Value][]Origin // final
	round   *round                 // of the evaluation that is under way
	reach   map[*ssa.Function]*reaching
	helpers map[helperKey]*Helper
}

// round is one pass over the values that an evaluation needs. Each is computed
// once a round, from what the last round has left where values depend on each
// other in a circle, as the phis of a loop do; rounds are repeated until
// nothing changes.
type round struct {
	last, next map[ssa.Value][]Origin
	active     map[ssa.Value]bool
	circle     bool // a value was asked for while it was being computed
	changed    bool
}

// maxRounds bounds the rounds. Origins are few and only grow, so that two or
// three settle nearly everything; what has not settled then stays unknown.
const maxRounds = 16

// New returns a tracer.
func New(c *catalog.Catalog, calls *callee.Resolver, o Oracle) *Tracer {
	return &Tracer{Catalog: c, Calls: calls, Oracle: o, memo: map[ssa.Value][]Origin{}, reach: map[*ssa.Function]*reaching{}}
}

// Forget drops what was remembered, for when summaries have changed.
func (t *Tracer) Forget() { clear(t.memo) }

// Of returns the origins of a value that is a context or provides one.
func (t *Tracer) Of(v ssa.Value) []Origin {
	if os, ok := t.memo[v]; ok {
		return os
	}
	if t.round != nil {
		return t.visit(v)
	}
	defer func() { t.round = nil }()
	last := map[ssa.Value][]Origin{}
	for range maxRounds {
		t.round = &round{last: last, next: map[ssa.Value][]Origin{}, active: map[ssa.Value]bool{}}
		t.visit(v)
		last = t.round.next
		if !t.round.circle || !t.round.changed {
			maps.Copy(t.memo, last)
			return last[v]
		}
	}
	t.memo[v] = unknown
	return unknown
}

// visit computes a value once in a round.
func (t *Tracer) visit(v ssa.Value) []Origin {
	if os, ok := t.round.next[v]; ok {
		t.round.circle = t.round.circle || t.round.active[v]
		return os
	}
	before, known := t.round.last[v]
	t.round.next[v], t.round.active[v] = before, true
	os := t.eval(v)
	t.round.next[v], t.round.active[v] = os, false
	if !known || !sameOrigins(os, before) {
		t.round.changed = true
	}
	return os
}

func sameOrigins(a, b []Origin) bool {
	if len(a) != len(b) {
		return false
	}
	for _, o := range a {
		if !slices.Contains(b, o) {
			return false
		}
	}
	return true
}

var unknown = []Origin{{Kind: Unknown}}

func (t *Tracer) eval(v ssa.Value) []Origin {
	switch v := v.(type) {
	case *ssa.Parameter:
		return t.param(v)
	case *ssa.FreeVar:
		return t.all(callee.Bindings(v))
	case *ssa.Const:
		if v.IsNil() {
			return []Origin{{Kind: Nil}}
		}
	case *ssa.Phi:
		return t.phi(v)
	case *ssa.Call:
		return t.call(v, 0)
	case *ssa.Extract:
		return t.extract(v)
	case *ssa.ChangeInterface:
		return t.Of(v.X)
	case *ssa.ChangeType:
		return t.Of(v.X)
	case *ssa.MakeInterface:
		return t.Of(v.X)
	case *ssa.TypeAssert:
		return t.Of(v.X)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return t.load(v)
		}
		return []Origin{{Kind: Stored}}
	case *ssa.Alloc:
		return t.built(v)
	case *ssa.Field:
		return t.field(v)
	case *ssa.Index, *ssa.Lookup:
		return []Origin{{Kind: Stored}}
	}
	return unknown
}

func (t *Tracer) param(p *ssa.Parameter) []Origin {
	if !t.Carries(p.Type()) {
		return unknown
	}
	for i, q := range p.Parent().Params {
		if p == q {
			return []Origin{{Kind: Param, Fn: p.Parent(), Index: i, Deaf: t.isDeaf(p.Type())}}
		}
	}
	return unknown
}

func (t *Tracer) all(vs []ssa.Value) []Origin {
	if len(vs) == 0 {
		return unknown
	}
	var os []Origin
	for _, v := range vs {
		os = union(os, t.Of(v))
	}
	return os
}

// phi merges the edges; a root on an edge that has tested something against
// nil (see guarded) is Maybe.
func (t *Tracer) phi(v *ssa.Phi) []Origin {
	var os []Origin
	for i, e := range v.Edges {
		got := t.Of(e)
		pred := v.Block().Preds[i]
		if len(v.Edges) > 1 && hasRoot(got) && guarded(pred, v.Block(), v.Block().Idom()) {
			got = with(got, func(o *Origin) { o.Maybe = true })
		}
		os = union(os, got)
	}
	return copiedOnSomeWay(os)
}

// copiedOnSomeWay marks a root as copied to if another member of the mixture
// is the same root with values of a context: the copy was conditional on there
// being a value.
func copiedOnSomeWay(os []Origin) []Origin {
	for _, c := range os {
		if c.Kind != Fresh || !c.Values {
			continue
		}
		os = with(os, func(o *Origin) { o.Values = o.Values || o.Kind == Fresh && o.Site == c.Site })
	}
	return os
}

func hasRoot(os []Origin) bool {
	for _, o := range os {
		if o.Kind == Fresh || o.Kind == Detached || o.Kind == Absent {
			return true
		}
	}
	return false
}

func (t *Tracer) extract(v *ssa.Extract) []Origin {
	switch tuple := v.Tuple.(type) {
	case *ssa.Call:
		return t.call(tuple, v.Index)
	case *ssa.TypeAssert:
		if v.Index == 0 {
			return t.Of(tuple.X)
		}
	case *ssa.Lookup, *ssa.Select, *ssa.UnOp, *ssa.Next:
		return []Origin{{Kind: Stored}}
	}
	return unknown
}

// load reads a variable: a local, a captured one, a global, a field.
func (t *Tracer) load(v *ssa.UnOp) []Origin {
	switch a := v.X.(type) {
	case *ssa.Alloc:
		return t.readLocal(a, v)
	case *ssa.FreeVar:
		return t.readCaptured(a)
	case *ssa.Global:
		return t.readGlobal(a)
	case *ssa.FieldAddr:
		if alloc, ok := a.X.(*ssa.Alloc); ok {
			if os := t.fieldOfLocal(alloc, a.Field); os != nil {
				return ifGivenAway(os, alloc, v)
			}
		}
		if os := t.fieldStep(a); os != nil {
			return os
		}
		return []Origin{storedIn(a)}
	case *ssa.IndexAddr:
		return []Origin{{Kind: Stored}}
	}
	return unknown
}

// storedIn is a read of a field, which is named if it is the receiver's own.
func storedIn(a *ssa.FieldAddr) Origin {
	o := Origin{Kind: Stored}
	recv, ok := receiver(a.X)
	if f := callee.FieldOf(a); ok && f != nil {
		o.Field, o.Root = f, recv.Name()+"."+f.Name()
	}
	return o
}

// receiver looks for the receiver of a method behind a value, also from a
// closure in it.
func receiver(v ssa.Value) (*ssa.Parameter, bool) {
	for range maxValueDepth {
		switch x := v.(type) {
		case *ssa.UnOp:
			v = x.X
		case *ssa.FreeVar:
			b := callee.Bindings(x)
			if len(b) == 0 {
				return nil, false
			}
			v = b[0]
		case *ssa.Alloc:
			vals, ok := callee.StoredIn(x)
			if !ok || len(vals) != 1 {
				return nil, false
			}
			v = vals[0]
		case *ssa.Parameter:
			return x, x.Parent().Signature.Recv() != nil && x.Parent().Params[0] == x
		default:
			return nil, false
		}
	}
	return nil, false
}

// readLocal uses the stores that reach the read.
func (t *Tracer) readLocal(a *ssa.Alloc, at ssa.Instruction) []Origin {
	var os []Origin
	for _, st := range t.reachingStores(a, at) {
		got := t.Of(st.Val)
		if hasRoot(got) && guarded(st.Block(), nil, st.Block().Parent().Blocks[0]) && len(t.reachingStores(a, st)) > 0 {
			got = with(got, func(o *Origin) { o.Maybe = true })
		}
		os = union(os, got)
	}
	alone := os == nil // then what a closure stores is all there is
	for _, val := range storedByClosures(a) {
		os = union(os, with(t.Of(val), func(o *Origin) { o.Maybe = o.Maybe || !alone }))
	}
	if os == nil {
		return t.built(a) // a struct value whose fields were set one by one
	}
	return os
}

// readCaptured uses the stores that reach the making of the closure; later
// ones are possible, but not certain.
func (t *Tracer) readCaptured(fv *ssa.FreeVar) []Origin {
	var os []Origin
	fn := fv.Parent()
	for _, ref := range *fn.Referrers() {
		mc, ok := ref.(*ssa.MakeClosure)
		if !ok || mc.Fn != fn {
			continue
		}
		for i, f := range fn.FreeVars {
			if f != fv {
				continue
			}
			switch b := mc.Bindings[i].(type) {
			case *ssa.Alloc:
				os = union(os, t.captured(b, mc))
			case *ssa.FreeVar:
				os = union(os, t.readCaptured(b))
			}
		}
	}
	if os == nil {
		return unknown
	}
	return os
}

func (t *Tracer) captured(a *ssa.Alloc, mc *ssa.MakeClosure) []Origin {
	reaching := t.reachingStores(a, mc)
	os := t.readLocal(a, mc)
	if len(reaching) == 0 {
		os = nil
	}
	for _, ref := range *a.Referrers() {
		st, ok := ref.(*ssa.Store)
		if !ok || st.Addr != a || containsStore(reaching, st) || !mayFollow(mc, st) {
			continue
		}
		os = union(os, with(t.Of(st.Val), func(o *Origin) { o.Maybe = o.Maybe || len(reaching) > 0 }))
	}
	return os
}

func containsStore(sts []*ssa.Store, st *ssa.Store) bool {
	for _, s := range sts {
		if s == st {
			return true
		}
	}
	return false
}

// readGlobal resolves a package variable only if every store in the package
// puts a plain root there; a context with a cancel function is a lifecycle.
func (t *Tracer) readGlobal(g *ssa.Global) []Origin {
	stored := []Origin{{Kind: Stored}}
	vals, ok := t.Calls.GlobalStores(g)
	if !ok {
		return stored
	}
	var os []Origin
	for _, v := range vals {
		for _, o := range t.Of(v) {
			if o.Kind != Fresh || o.Cancelled || o.Bounded {
				return stored
			}
			o.Root = g.Name()
			os = union(os, []Origin{o})
		}
	}
	if os == nil {
		return stored
	}
	return os
}

// built is a custom context or provider made here: a struct with a context in
// it, or else with a provider.
func (t *Tracer) built(a *ssa.Alloc) []Origin {
	ptr, ok := a.Type().Underlying().(*types.Pointer)
	if !ok {
		return unknown
	}
	st, ok := ptr.Elem().Underlying().(*types.Struct)
	if !ok {
		return unknown
	}
	var os []Origin // of the context that it is taken to be
	others := false // another field holds a caller's context, for its values
	for _, carries := range []func(types.Type) bool{IsContext, IsProvider, t.Carries} {
		for i := range st.NumFields() {
			if !carries(st.Field(i).Type()) {
				continue
			}
			got := t.fieldOfLocal(a, i)
			if os == nil {
				os = got
			} else if _, ok := Certain(got, Param); ok {
				others = true
			}
		}
	}
	if os == nil {
		return t.byHand(a, ptr.Elem())
	}
	if others {
		os = with(os, func(o *Origin) { o.Values = o.Values || o.Kind == Fresh })
	}
	return os
}

// byHand is a literal of a type whose values the catalog knows to be made with
// a context or without one, such as an http.Request or an exec.Cmd: nothing
// outside its package can put one into it.
func (t *Tracer) byHand(a *ssa.Alloc, typ types.Type) []Origin {
	n := callee.Named(typ)
	if n == nil || !t.madeBare(n) {
		return unknown
	}
	for _, ref := range *a.Referrers() {
		if st, ok := ref.(*ssa.Store); ok && st.Addr == a {
			return unknown // a copy of another value
		}
	}
	return []Origin{{Kind: Absent, Site: a, Root: n.Obj().Pkg().Name() + "." + n.Obj().Name() + "{}"}}
}

// madeBare reports whether the catalog has a function, in the type's own
// package, that makes a value of the type without a context.
func (t *Tracer) madeBare(n *types.Named) bool {
	pkg := n.Obj().Pkg()
	if pkg == nil || !t.Catalog.HasPackage(pkg.Path()) {
		return false
	}
	for _, name := range pkg.Scope().Names() {
		fn, ok := pkg.Scope().Lookup(name).(*types.Func)
		if !ok || fn.Signature().Results().Len() == 0 || callee.Named(fn.Signature().Results().At(0).Type()) != n {
			continue
		}
		if entry, ok := t.Catalog.Func(fn); ok && entry.Kind == catalog.Bare {
			return true
		}
	}
	return false
}

// field reads a field of a struct value.
func (t *Tracer) field(v *ssa.Field) []Origin {
	if load, ok := v.X.(*ssa.UnOp); ok {
		if a, ok := load.X.(*ssa.Alloc); ok {
			if os := t.fieldOfLocal(a, v.Field); os != nil {
				return ifGivenAway(os, a, load)
			}
		}
	}
	return []Origin{{Kind: Stored}}
}

// fieldOfLocal gives what this function stored in a field of a local struct,
// directly or with a whole struct, or nil if it stored nothing. Of several
// stores none is certain, for their order is not looked at.
func (t *Tracer) fieldOfLocal(a *ssa.Alloc, field int) []Origin {
	vals := fieldStores(a, field, 0)
	var os []Origin
	for _, v := range vals {
		os = union(os, with(t.Of(v), func(o *Origin) { o.Maybe = o.Maybe || len(vals) > 1 }))
	}
	return os
}

// ifGivenAway marks what was stored in a local struct as a default, if the
// struct's address goes to a call, a closure or a variable before the read:
// this is how options are applied.
func ifGivenAway(os []Origin, a *ssa.Alloc, read ssa.Instruction) []Origin {
	for _, ref := range *a.Referrers() {
		given := false
		switch ref := ref.(type) {
		case ssa.CallInstruction:
			given = true
		case *ssa.Store:
			given = ref.Val == a
		case *ssa.MakeClosure, *ssa.MakeInterface:
			given = true
		}
		if given && mayFollow(ref, read) {
			return with(os, func(o *Origin) { o.Maybe = true })
		}
	}
	return os
}

func fieldStores(a *ssa.Alloc, field, depth int) []ssa.Value {
	if depth > maxValueDepth {
		return nil
	}
	var vals []ssa.Value
	for _, ref := range *a.Referrers() {
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			if ref.Field != field {
				continue
			}
			for _, use := range *ref.Referrers() {
				if st, ok := use.(*ssa.Store); ok && st.Addr == ref {
					vals = append(vals, st.Val)
				}
			}
		case *ssa.Store: // the whole struct, copied from another local
			if load, ok := ref.Val.(*ssa.UnOp); ok && ref.Addr == a {
				if from, ok := load.X.(*ssa.Alloc); ok {
					vals = append(vals, fieldStores(from, field, depth+1)...)
				}
			}
		}
	}
	return vals
}
