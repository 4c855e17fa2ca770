package ctxflow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file asks who is at the other side of a channel, a wait group or the
// like: whether a wait is for others, or for what the function itself started.

// hasClosure reports whether a channel, wait group or the like that is made here
// is captured by a closure or goes to a goroutine.
func hasClosure(p place) bool {
	switch root := p.root.(type) {
	case *ssa.MakeChan:
		for _, ref := range *root.Referrers() {
			switch ref := ref.(type) {
			case *ssa.MakeClosure, *ssa.Go:
				return true
			case *ssa.Store:
				if a, ok := ref.Addr.(*ssa.Alloc); ok && inClosure(a) {
					return true
				}
			}
		}
	case *ssa.Alloc:
		return inClosure(root)
	}
	return false
}

// ofOthers reports whether a channel, a wait group or a condition is shared
// with code that f and its closures do not show: it is in a field of something
// that f was not just given, in a global, or made here and given away.
func (e *engine) ofOthers(v ssa.Value) bool { return e.othersHave(placeOf(v), v.Type(), 0) }

func (e *engine) othersHave(at place, t types.Type, depth int) bool {
	switch root := at.root.(type) {
	case *ssa.Global:
		return true
	case *ssa.MakeChan:
		return givenAway(root, 0, false)
	case *ssa.Alloc:
		return at.path != "" && givenAway(root, 0, false) && isChan(t)
	case *ssa.Parameter:
		return e.longLivedAt(at)
	case *ssa.Phi: // what was found among the others, or else put there
		return depth < 4 && at.path != "" && !slices.ContainsFunc(root.Edges, func(edge ssa.Value) bool {
			from := placeOf(edge)
			return !e.othersHave(place{from.root, at.path + from.path}, t, depth+1)
		})
	case *ssa.Call, *ssa.Extract:
		if at.path == "" {
			return e.enrolled(at.root)
		}
		return !e.madeUnderContext(at.root, 0)
	case *ssa.Lookup, *ssa.IndexAddr, *ssa.Index:
		return at.path != "" && !e.madeUnderContext(at.root, 0)
	}
	return false
}

// sharedWithClosure reports whether the other side of an operation on the place
// is another closure of the same function, or that function itself: a goroutine
// that was started here, or who started this one.
func (e *engine) sharedWithClosure(f *function, p place, dir types.ChanDir) bool {
	return e.meets(f.named.ssa, f.ssa, p, dir)
}

// meets reports whether fn or a closure in it, but not except, does the opposite
// of an operation in dir on the place, or ends it. What except itself defers is no
// other side: it comes after the operation, and gives back what this has taken.
func (e *engine) meets(fn, except *ssa.Function, p place, dir types.ChanDir) bool {
	if fn != except && !e.defersOf(except, fn) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if opposite(instr, p, dir) || signalsEnd(instr, p) {
					return true
				}
			}
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, func(fn *ssa.Function) bool { return e.meets(fn, except, p, dir) })
}

// defersOf reports whether a closure runs in nothing but defers of the function.
func (e *engine) defersOf(in, closure *ssa.Function) bool {
	f := e.bySSA[closure]
	return f != nil && closure.Parent() == in && len(f.in) > 0 && !slices.ContainsFunc(f.in, func(in *edge) bool { return in.mode != runsDeferred })
}

// startsItsOwn reports whether methods of one type start the goroutines that are
// done with a wait group of that type: to wait for them is the end of what the
// value does itself, and what they wait for is judged where they do it.
func (e *engine) startsItsOwn(p place) bool {
	key, ok := fieldPlace(p)
	if !ok {
		return false
	}
	if e.ownDone == nil {
		e.ownDone = map[fieldKey]bool{}
		for _, f := range e.funcs {
			for _, in := range f.in {
				if _, spawned := in.site.instr.(*ssa.Go); !spawned {
					continue
				}
				for _, signal := range e.signals(f) {
					if key, ok := fieldPlace(signal); ok {
						e.ownDone[key] = true
					}
				}
			}
		}
	}
	return e.ownDone[key]
}

// fieldKey names a field of a receiver's type by its path.
type fieldKey struct {
	typ  *types.TypeName
	path string
}

// fieldPlace is the field of its method's receiver that a wait group or the
// like is in.
func fieldPlace(p place) (fieldKey, bool) {
	param, ok := p.root.(*ssa.Parameter)
	if !ok || p.path == "" || param.Parent().Signature.Recv() == nil || param.Parent().Params[0] != param {
		return fieldKey{}, false
	}
	named := callee.Named(param.Type())
	if named == nil {
		return fieldKey{}, false
	}
	return fieldKey{named.Obj(), p.path}, true
}

// signalsEnd matches a close of a channel, Done of a wait group, and what wakes
// those who wait for a condition: context.AfterFunc is given a closure that does.
func signalsEnd(instr ssa.Instruction, p place) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	c := call.Common()
	b, builtin := c.Value.(*ssa.Builtin)
	ends := builtin && b.Name() == "close" || isMethod(c, "sync", "WaitGroup", "Done") ||
		isMethod(c, "sync", "Cond", "Broadcast") || isMethod(c, "sync", "Cond", "Signal")
	return ends && placeOf(c.Args[0]) == p
}

func isChan(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// madeUnderContext reports whether a value comes from a call that was given a
// context, or from something that did: it may well end with that.
func (e *engine) madeUnderContext(v ssa.Value, depth int) bool {
	if depth > 8 {
		return true
	}
	switch v := v.(type) {
	case *ssa.Call:
		for _, arg := range v.Call.Args {
			if !e.plainArg(arg, depth) {
				return true
			}
		}
		return v.Call.IsInvoke() && !e.plainArg(v.Call.Value, depth)
	case *ssa.Extract:
		return e.madeUnderContext(v.Tuple, depth+1)
	case *ssa.Lookup:
		return e.madeUnderContext(placeOf(v.X).root, depth+1)
	case *ssa.IndexAddr:
		return e.madeUnderContext(placeOf(v.X).root, depth+1)
	case *ssa.Index:
		return e.madeUnderContext(placeOf(v.X).root, depth+1)
	case *ssa.Parameter:
		recv := v.Parent().Signature.Recv()
		return recv == nil || v.Parent().Params[0] != v
	case *ssa.Global, *ssa.Const, *ssa.Alloc:
		return false
	}
	return true
}

// plainArg reports whether an argument can bring no context with it.
func (e *engine) plainArg(arg ssa.Value, depth int) bool {
	if provenance.Carries(arg.Type()) || isFunc(arg.Type()) {
		return false
	}
	switch t := arg.Type().Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Slice:
		if _, basic := t.Elem().Underlying().(*types.Basic); basic {
			return true
		}
	}
	return !e.madeUnderContext(placeOf(arg).root, depth+1)
}

// enrolled reports whether a value is a channel that a function of the package
// has made, entered among its others, and returned: a subscription, or the place
// of a reply.
func (e *engine) enrolled(v ssa.Value) bool {
	result := 0
	if ex, ok := v.(*ssa.Extract); ok {
		v, result = ex.Tuple, ex.Index
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	maker := e.bySSA[call.Call.StaticCallee()]
	if maker == nil {
		return false
	}
	rets := returns(maker.ssa)
	for _, ret := range rets {
		c, ok := placeOf(ret.Results[result]).root.(*ssa.MakeChan)
		if !ok || !givenAway(c, 0, true) {
			return false
		}
	}
	return len(rets) > 0
}

// closesAny reports whether the package closes a channel of the type somewhere.
func (e *engine) closesAny(t types.Type) bool {
	for _, f := range e.funcs {
		for _, b := range f.ssa.Blocks {
			for _, instr := range b.Instrs {
				call, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				c := call.Common()
				if b, ok := c.Value.(*ssa.Builtin); !ok || b.Name() != "close" {
					continue
				}
				elem := elemOf(c.Args[0].Type())
				if _, any := elem.(*types.TypeParam); elem == nil || any || types.Identical(elem, elemOf(t)) {
					return true
				}
			}
		}
	}
	return false
}

// elemOf is the type of a channel's elements, or nil if t is a type parameter.
func elemOf(t types.Type) types.Type {
	if ch, ok := t.Underlying().(*types.Chan); ok {
		return ch.Elem()
	}
	return nil
}

// givenAway reports whether a channel or a struct that was made here is handed
// to code out of sight, by a call, a send or a store, and no closure has it:
// a closure that has it is most likely its other side. What is returned, unless
// the question is about what a caller has been given, is the caller's affair.
func givenAway(v ssa.Value, depth int, returned bool) bool {
	if depth > 6 || v.Referrers() == nil {
		return false
	}
	away := false
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.MakeClosure, *ssa.Go:
			return false
		case *ssa.Return:
			if !returned {
				return false
			}
		case *ssa.Defer:
		case *ssa.Call:
			if b, ok := ref.Call.Value.(*ssa.Builtin); ok {
				if b.Name() == "append" {
					away = true
				}
				continue
			}
			if carriesContext(ref.Call.Signature()) {
				return false
			}
			away = true
		case *ssa.Send:
			away = away || ref.X == v
		case *ssa.Select:
			for _, st := range ref.States {
				away = away || st.Send == v
			}
		case *ssa.MapUpdate:
			away = away || ref.Value == v || ref.Key == v
		case *ssa.Store:
			if ref.Val != v {
				continue
			}
			base := localBase(ref.Addr)
			if base == nil {
				away = true
				continue
			}
			if !heldOrGiven(base, depth, returned, &away) {
				return false
			}
		case *ssa.UnOp:
			if ref.Op == token.MUL {
				if !heldOrGiven(ref, depth, returned, &away) {
					return false
				}
			}
		case *ssa.ChangeType, *ssa.MakeInterface, *ssa.Phi:
			if !heldOrGiven(ref.(ssa.Value), depth, returned, &away) {
				return false
			}
		}
	}
	return away
}

// heldOrGiven looks at a copy of what is given away; it reports false if a
// closure or goroutine has the copy.
func heldOrGiven(v ssa.Value, depth int, returned bool, away *bool) bool {
	if inClosure(v) {
		return false
	}
	*away = *away || givenAway(v, depth+1, returned)
	return true
}

func inClosure(v ssa.Value) bool {
	if v.Referrers() == nil {
		return false
	}
	for _, ref := range *v.Referrers() {
		switch ref.(type) {
		case *ssa.MakeClosure, *ssa.Go:
			return true
		}
	}
	return false
}

// turnsTaken reports whether the operation gives back what an opposite one has
// taken: a semaphore's slot. One in the same function comes first, or the
// function's name says that it releases.
func (e *engine) turnsTaken(f *function, at ssa.Instruction, ch ssa.Value, dir types.ChanDir) bool {
	if !isChan(ch.Type()) {
		return false
	}
	if isRelease(&callsite{targets: []callee.Target{{Fn: f.named.ssa, Obj: f.named.obj}}}) {
		return true
	}
	p := placeOf(ch)
	for _, b := range f.ssa.Blocks {
		if !b.Dominates(at.Block()) {
			continue
		}
		for _, instr := range b.Instrs {
			if instr == at {
				break
			}
			if opposite(instr, p, dir) {
				return true
			}
		}
	}
	return false
}

func opposite(instr ssa.Instruction, p place, dir types.ChanDir) bool {
	switch instr := instr.(type) {
	case *ssa.Send:
		return dir == types.RecvOnly && placeOf(instr.Chan) == p
	case *ssa.UnOp:
		return dir == types.SendOnly && instr.Op == token.ARROW && placeOf(instr.X) == p
	case *ssa.Select:
		for _, st := range instr.States {
			if st.Dir != dir && placeOf(st.Chan) == p {
				return true
			}
		}
	}
	return false
}

// hasRoom reports whether every channel that the package puts in the place has
// a buffer of one for a value: the reply to a request, which never waits.
func (e *engine) hasRoom(ch ssa.Value) bool {
	load, ok := ch.(*ssa.UnOp)
	if !ok {
		return false
	}
	fa, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	makes := e.chanMakes(callee.FieldOf(fa))
	for _, m := range makes {
		c, ok := m.Size.(*ssa.Const)
		if !ok || c.Int64() != 1 || isEmptyStruct(m.Type()) {
			return false
		}
	}
	return len(makes) > 0
}

func isEmptyStruct(ch types.Type) bool {
	st, ok := ch.Underlying().(*types.Chan).Elem().Underlying().(*types.Struct)
	return ok && st.NumFields() == 0
}

// chanMakes lists the channels that the package stores in a field.
func (e *engine) chanMakes(field *types.Var) []*ssa.MakeChan {
	if e.chans == nil {
		e.chans = map[*types.Var][]*ssa.MakeChan{}
		for _, f := range e.funcs {
			for _, b := range f.ssa.Blocks {
				for _, instr := range b.Instrs {
					st, ok := instr.(*ssa.Store)
					if !ok {
						continue
					}
					fa, ok := st.Addr.(*ssa.FieldAddr)
					if !ok {
						continue
					}
					if m, ok := placeOf(st.Val).root.(*ssa.MakeChan); ok {
						e.chans[callee.FieldOf(fa)] = append(e.chans[callee.FieldOf(fa)], m)
					}
				}
			}
		}
	}
	return e.chans[field]
}
