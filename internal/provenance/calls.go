package provenance

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
)

// call gives the origins of a call's result-th result.
func (t *Tracer) call(c *ssa.Call, result int) []Origin {
	carries := t.Carries(resultType(c, result))
	targets := t.Calls.Targets(&c.Call)
	if len(targets) == 0 {
		return unknown
	}
	// No origins at all is the bottom of the lattice: a function of the same
	// component of which nothing is known yet.
	var os []Origin
	for _, target := range targets {
		os = union(os, t.returned(c, target, result, carries))
	}
	return os
}

func resultType(c *ssa.Call, result int) types.Type {
	if tuple, ok := c.Type().(*types.Tuple); ok {
		return tuple.At(result).Type()
	}
	return c.Type()
}

// returned is where the result of one possible callee comes from. carries says
// whether the result's type shows that it is or provides a context; a line of
// the catalog may say so of others, such as an *exec.Cmd.
func (t *Tracer) returned(c *ssa.Call, target callee.Target, result int, carries bool) []Origin {
	if target.Obj != nil {
		if os := t.step(target); os != nil {
			return os
		}
		if entry, ok := t.Lookup(target); ok {
			if os := t.catalogued(c, target, &entry); os != nil {
				return os
			}
		}
	}
	if !carries {
		return unknown
	}
	provider := target.Obj != nil && IsContextMethod(target.Obj) && len(target.Args) == 1
	if t.Oracle != nil {
		// That an own provider returns what it has stored is no news.
		if ros, ok := t.Oracle.ResultOrigins(target, result); ok && !(provider && allStored(ros)) {
			return t.instantiate(c, target, ros)
		}
	}
	if provider {
		return t.provided(target.Args[0])
	}
	return t.derived(target)
}

// Lookup finds the catalog's line on a target, the most precise for the type
// through which a method is called.
func (t *Tracer) Lookup(target callee.Target) (catalog.Entry, bool) {
	if target.RecvShift() == 1 && len(target.Args) > 0 {
		return t.Catalog.Method(target.Args[0].Type(), target.Obj)
	}
	return t.Catalog.Func(target.Obj)
}

func allStored(ros []ResultOrigin) bool {
	for _, ro := range ros {
		if ro.Kind != Stored {
			return false
		}
	}
	return len(ros) > 0
}

// provided is x.Context(): what x carries.
func (t *Tracer) provided(x ssa.Value) []Origin {
	os := t.Of(x)
	for _, o := range os {
		if o.Kind == Unknown || o.Kind == Nil {
			return []Origin{{Kind: Stored}}
		}
	}
	return os
}

// derived is the default for a function of which nothing is known: its result
// comes from the contexts, else from the providers, that it was given.
func (t *Tracer) derived(target callee.Target) []Origin {
	for _, want := range []func(types.Type) bool{IsContext, IsProvider, t.Carries} {
		var os []Origin
		for _, arg := range target.Args {
			if want(arg.Type()) {
				os = union(os, t.markCopies(t.Of(arg), target, arg))
			}
		}
		if os != nil {
			return heard(os) // it may ask a deaf context for the one that hears
		}
	}
	return unknown
}

// markCopies marks roots that the call gives values of another context.
func (t *Tracer) markCopies(os []Origin, target callee.Target, ctx ssa.Value) []Origin {
	if !hasRoot(os) || !t.copiesValue(target, ctx) {
		return os
	}
	return with(os, func(o *Origin) { o.Values = o.Values || o.Kind == Fresh })
}

// catalogued applies a line of the catalog; nil means that the line says
// nothing of results.
func (t *Tracer) catalogued(c *ssa.Call, target callee.Target, entry *catalog.Entry) []Origin {
	switch entry.Kind {
	case catalog.Fresh:
		return []Origin{{Kind: Fresh, Site: c, Root: callee.ShortName(target.Obj) + "()"}}
	case catalog.Bare:
		return []Origin{{Kind: Absent, Site: c, Root: callee.ShortName(target.Obj)}}
	case catalog.Derive, catalog.Carry, catalog.Detach:
	default:
		return nil
	}
	arg := ContextArg(entry, target)
	if arg == nil {
		return unknown
	}
	cancels := entry.Kind == catalog.Derive && returnsCancel(target.Sig)
	return with(t.markCopies(t.Of(arg), target, arg), func(o *Origin) {
		switch {
		case entry.Kind == catalog.Detach && (o.Kind == Param || o.Kind == Stored || o.Kind == Unknown):
			*o = Origin{Kind: Detached, Site: c, Root: callee.ShortName(target.Obj), Maybe: o.Maybe}
		case entry.Kind == catalog.Derive:
			o.Bounded = o.Bounded || entry.Bounded
			o.Cancelled = o.Cancelled || cancels
		}
	})
}

// ContextArg is the argument that is or provides the context which a
// catalogued function derives from or blocks on, or nil.
func ContextArg(entry *catalog.Entry, target callee.Target) ssa.Value {
	i := entry.ContextArg(target.Sig)
	shift := target.RecvShift()
	switch {
	case i == catalog.Receiver && shift == 1:
		return target.Args[0]
	case i >= 0 && i+shift < len(target.Args):
		return target.Args[i+shift]
	}
	return nil
}

func returnsCancel(sig *types.Signature) bool {
	for i := range sig.Results().Len() {
		if _, ok := sig.Results().At(i).Type().Underlying().(*types.Signature); ok {
			return true
		}
	}
	return false
}

// copiesValue reports whether an argument other than the context was read
// from another context: WithValue(Background(), k, ctx.Value(k)).
func (t *Tracer) copiesValue(target callee.Target, ctx ssa.Value) bool {
	for _, arg := range target.Args {
		if arg != ctx && t.readsContext(arg, 0) {
			return true
		}
	}
	return false
}

const maxValueDepth = 8

// readsContext walks back through copies and calls to a call that was given
// a context or a provider.
func (t *Tracer) readsContext(v ssa.Value, depth int) bool {
	if depth > maxValueDepth {
		return false
	}
	switch v := v.(type) {
	case *ssa.Call:
		if v.Call.IsInvoke() && t.Carries(v.Call.Value.Type()) {
			return true
		}
		if t.worksFor(v) {
			return false
		}
		for _, arg := range v.Call.Args {
			if t.Carries(arg.Type()) || t.readsContext(arg, depth+1) {
				return true
			}
		}
		return v.Call.IsInvoke() && t.readsContext(v.Call.Value, depth+1)
	case *ssa.Extract:
		return t.readsContext(v.Tuple, depth+1)
	case *ssa.MakeInterface:
		return t.readsContext(v.X, depth+1)
	case *ssa.ChangeInterface:
		return t.readsContext(v.X, depth+1)
	case *ssa.ChangeType:
		return t.readsContext(v.X, depth+1)
	case *ssa.Convert:
		return t.readsContext(v.X, depth+1)
	case *ssa.TypeAssert:
		return t.readsContext(v.X, depth+1)
	case *ssa.UnOp:
		return t.readsContext(v.X, depth+1)
	case *ssa.Field:
		return t.readsContext(v.X, depth+1)
	case *ssa.FieldAddr:
		return t.readsContext(v.X, depth+1)
	case *ssa.Alloc:
		vals, _ := callee.StoredIn(v)
		return t.anyReads(vals, depth)
	case *ssa.Slice:
		return t.readsContext(v.X, depth+1)
	case *ssa.Phi:
		return t.anyReads(v.Edges, depth)
	}
	return false
}

// worksFor reports whether a call does work for a context rather than reading a
// value of it: it may fail, and is told what to do by arguments that the source
// does not fix. A lookup of the session that a token names is such work; what it
// finds was no part of the context.
func (t *Tracer) worksFor(c *ssa.Call) bool {
	sig := c.Call.Signature()
	n := sig.Results().Len()
	if n < 2 || !types.Identical(sig.Results().At(n-1).Type(), types.Universe.Lookup("error").Type()) {
		return false
	}
	args := c.Call.Args
	if sig.Recv() != nil && !c.Call.IsInvoke() {
		args = args[1:]
	}
	takes, told := false, false
	for _, arg := range args {
		_, fixed := arg.(*ssa.Const)
		switch {
		case IsContext(arg.Type()):
			takes = true
		case !fixed && !t.Carries(arg.Type()):
			told = true
		}
	}
	return takes && told
}

func (t *Tracer) anyReads(vs []ssa.Value, depth int) bool {
	for _, v := range vs {
		if t.readsContext(v, depth+1) {
			return true
		}
	}
	return false
}

// instantiate turns a summary into origins at a call.
func (t *Tracer) instantiate(c *ssa.Call, target callee.Target, ros []ResultOrigin) []Origin {
	var os []Origin
	for _, ro := range ros {
		os = union(os, t.atCall(c, target, ro))
	}
	return os
}

func (t *Tracer) atCall(c *ssa.Call, target callee.Target, ro ResultOrigin) []Origin {
	switch ro.Kind {
	case Param:
		if ro.Param >= len(target.Args) {
			return unknown
		}
		arg := target.Args[ro.Param]
		return with(t.markCopies(t.Of(arg), target, arg), func(o *Origin) {
			o.Bounded = o.Bounded || ro.Bounded
			o.Maybe = o.Maybe || ro.Maybe
			o.Values = o.Values || ro.Values
			o.Deaf = o.Deaf && ro.Deaf
		})
	case Fresh, Absent, Detached:
		return []Origin{{
			Kind: ro.Kind, Site: c, Root: ro.Root, Bounded: ro.Bounded, Values: ro.Values, Maybe: ro.Maybe,
			Helper: t.helper(target, ro.HadContext),
		}}
	}
	return []Origin{{Kind: ro.Kind, Maybe: ro.Maybe}}
}

// helper returns one *Helper per function, so that origins stay comparable.
func (t *Tracer) helper(target callee.Target, had bool) *Helper {
	key := helperKey{target.Obj, target.Fn, had}
	if t.helpers == nil {
		t.helpers = map[helperKey]*Helper{}
	}
	if t.helpers[key] == nil {
		t.helpers[key] = &Helper{Name: target.Name(), Fn: target.Fn, Obj: target.Obj, HadContext: had}
	}
	return t.helpers[key]
}

type helperKey struct {
	obj *types.Func
	fn  *ssa.Function
	had bool
}
