package ctxflow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
)

// place names a variable or a field path from one, so that the wait group or
// channel that a goroutine signals can be told to be the one that is waited
// on, across closures.
type place struct {
	root ssa.Value
	path string // the last field first
}

// placeOf follows loads, fields and captures to the variable behind v.
func placeOf(v ssa.Value) place {
	path := ""
	var at ssa.Instruction // where the variable is read or captured
	for range 20 {
		switch x := v.(type) {
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return place{v, path}
			}
			v, at = x.X, x
		case *ssa.FieldAddr:
			path += "." + fieldName(x.X.Type(), x.Field)
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.FreeVar:
			b := callee.Bindings(x)
			if len(b) == 0 {
				return place{v, path}
			}
			v, at = b[0], nil
			if mc, ok := onlyReferrer(x.Parent()).(*ssa.MakeClosure); ok {
				at = mc
			}
		default:
			return place{onlyStored(v, at), path}
		}
	}
	return place{v, path}
}

// onlyStored looks through a local that only ever holds one value, such as
// the copy of a parameter or channel that a closure captures, or a parameter
// that has been assigned another value on every way to the instruction.
func onlyStored(v ssa.Value, at ssa.Instruction) ssa.Value {
	a, ok := v.(*ssa.Alloc)
	if !ok {
		return v
	}
	vals, ok := callee.StoredIn(a)
	if !ok || len(vals) == 0 || len(vals) > 2 {
		return v
	}
	val := vals[len(vals)-1]
	if _, param := vals[0].(*ssa.Parameter); len(vals) == 2 && !(param && at != nil && storedBefore(a, val, at)) {
		return v
	}
	switch val.(type) {
	case *ssa.Parameter, *ssa.MakeChan, *ssa.Call, *ssa.Alloc, *ssa.Extract:
		return val
	}
	return v
}

// storedBefore reports whether the local's own function stores the value in it
// on every way to the instruction.
func storedBefore(a *ssa.Alloc, val ssa.Value, at ssa.Instruction) bool {
	for _, ref := range *a.Referrers() {
		if st, ok := ref.(*ssa.Store); ok && st.Val == val && comesBefore(st, at) {
			return true
		}
	}
	return false
}

// comesBefore reports whether every way to an instruction has passed another
// one of its function.
func comesBefore(first, then ssa.Instruction) bool {
	if first.Block() != then.Block() {
		return first.Parent() == then.Parent() && first.Block().Dominates(then.Block())
	}
	for _, instr := range first.Block().Instrs {
		switch instr {
		case then:
			return false
		case first:
			return true
		}
	}
	return false
}

// onlyReferrer is the one instruction that mentions the function, or nil.
func onlyReferrer(fn *ssa.Function) ssa.Instruction {
	if refs := fn.Referrers(); refs != nil && len(*refs) == 1 {
		return (*refs)[0]
	}
	return nil
}

func fieldName(t types.Type, i int) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if st, ok := t.Underlying().(*types.Struct); ok {
		return st.Field(i).Name()
	}
	return ""
}

// awaited reports whether f, or a function around it, waits without a way out
// for the end of the goroutine: by Wait on a wait group whose Done it calls,
// or by a bare receive from a channel on which it sends or which it closes. A
// select with a Done case is a way out.
func (e *engine) awaited(f *function, g *ssa.Go, cs *callsite) bool {
	return e.awaitedBefore(f, g, cs) || e.awaitedBy(f, g, cs, deferredWait)
}

// awaitedBefore is awaited without the waits that the function has deferred.
func (e *engine) awaitedBefore(f *function, g *ssa.Go, cs *callsite) bool {
	return e.awaitedBy(f, g, cs, e.waitsFor)
}

func (e *engine) awaitedBy(f *function, g *ssa.Go, cs *callsite, waits func(*function, place) bool) bool {
	for _, t := range cs.targets {
		body := e.bySSA[t.Fn]
		if t.Fn == nil || body == nil {
			continue
		}
		for _, signal := range e.signals(body) {
			if p, ok := signal.root.(*ssa.Parameter); ok && p.Parent() == t.Fn {
				i := paramIndex(p)
				if i >= len(t.Args) {
					continue
				}
				arg := placeOf(t.Args[i])
				signal = place{arg.root, signal.path + arg.path}
			}
			for around := f; around != nil; around = around.parent {
				if waits(around, signal) {
					return true
				}
			}
			if e.returnedTo(f, signal, waits) {
				return true
			}
		}
	}
	return false
}

// returnedTo reports whether f returns the channel at the place, and all its
// callers in the package wait for that without a way out: f is as good as a call
// that blocks.
func (e *engine) returnedTo(f *function, p place, waits func(*function, place) bool) bool {
	if _, made := p.root.(*ssa.MakeChan); !made || p.path != "" {
		return false
	}
	result := -1
	for _, ret := range returns(f.ssa) {
		result = slices.IndexFunc(ret.Results, func(v ssa.Value) bool { return placeOf(v) == p })
		if result < 0 {
			return false
		}
	}
	callers := e.callersOf(f.ssa)
	return result >= 0 && len(callers) > 0 && !slices.ContainsFunc(callers, func(c caller) bool {
		return !waits(c.f, place{root: resultValue(c.call, result)})
	})
}

// caller is one plain call of a function in the package.
type caller struct {
	f    *function
	call *ssa.Call
}

// callersOf lists the calls of a function that the package shows. A function that
// is used as a value, or deferred, may have others, and has none here.
func (e *engine) callersOf(fn *ssa.Function) []caller {
	if e.callers == nil {
		e.callers = map[*ssa.Function][]caller{}
		for _, f := range e.funcs {
			for _, cs := range f.calls {
				call, _ := cs.instr.(*ssa.Call)
				for _, t := range cs.targets {
					if t.Fn != nil {
						e.callers[t.Fn] = append(e.callers[t.Fn], caller{f, call})
					}
				}
			}
		}
	}
	callers := e.callers[fn]
	if slices.ContainsFunc(callers, func(c caller) bool { return c.call == nil }) {
		return nil
	}
	return callers
}

// resultValue is the i-th result of a call, or nil if nobody uses it.
func resultValue(call *ssa.Call, i int) ssa.Value {
	if call.Call.Signature().Results().Len() == 1 {
		return call
	}
	for _, ref := range *call.Referrers() {
		if ex, ok := ref.(*ssa.Extract); ok && ex.Index == i {
			return ex
		}
	}
	return nil
}

// joinsGroup reports whether the target, a function of this package, starts a
// goroutine that tells of its end through one of the arguments, and f, or a
// function around it, calls another function that waits for that without a way
// out: a group of the program's own.
func (e *engine) joinsGroup(f *function, t callee.Target) bool {
	adder := e.bySSA[t.Fn]
	if t.Fn == nil || adder == nil {
		return false
	}
	for _, cs := range adder.calls {
		if _, spawned := cs.instr.(*ssa.Go); !spawned {
			continue
		}
		for _, started := range cs.targets {
			body := e.bySSA[started.Fn]
			if started.Fn == nil || body == nil {
				continue
			}
			for _, signal := range e.signals(body) {
				p, ok := signal.root.(*ssa.Parameter)
				if !ok || p.Parent() != t.Fn || paramIndex(p) >= len(t.Args) {
					continue
				}
				arg := placeOf(t.Args[paramIndex(p)])
				if e.waitsThrough(f, place{arg.root, signal.path + arg.path}) {
					return true
				}
			}
		}
	}
	return false
}

// waitsThrough reports whether f, or a function around it, gives what the place
// is in to a function of the package that waits there with no way out.
func (e *engine) waitsThrough(f *function, p place) bool {
	for around := f; around != nil; around = around.parent {
		for _, cs := range around.calls {
			if _, apart := cs.instr.(*ssa.Go); apart {
				continue
			}
			for _, t := range cs.targets {
				waiter := e.bySSA[t.Fn]
				if t.Fn == nil || waiter == nil {
					continue
				}
				for i, v := range t.Args {
					arg := placeOf(v)
					path, within := strings.CutSuffix(p.path, arg.path)
					if arg.root == p.root && within && i < len(t.Fn.Params) && e.waitsFor(waiter, place{t.Fn.Params[i], path}) {
						return true
					}
				}
			}
		}
	}
	return false
}

// signals lists the wait groups and channels on which a goroutine's body, and
// the closures that it runs, tell that they have ended.
func (e *engine) signals(body *function) []place {
	var out []place
	visit := func(fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				switch instr := instr.(type) {
				case *ssa.Send:
					out = append(out, placeOf(instr.Chan))
				case ssa.CallInstruction:
					c := instr.Common()
					if bi, ok := c.Value.(*ssa.Builtin); ok && bi.Name() == "close" {
						out = append(out, placeOf(c.Args[0]))
					} else if isMethod(c, "sync", "WaitGroup", "Done") {
						out = append(out, placeOf(c.Args[0]))
					}
				}
			}
		}
	}
	visit(body.ssa)
	for _, anon := range body.ssa.AnonFuncs {
		visit(anon)
	}
	return out
}

func isMethod(c *ssa.CallCommon, pkg, typ, name string) bool {
	fn := c.StaticCallee()
	if fn == nil || fn.Name() != name || fn.Signature.Recv() == nil || len(c.Args) == 0 {
		return false
	}
	t := fn.Signature.Recv().Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == typ && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg
}

// waitsFor reports whether f waits on the place with no way out.
func (e *engine) waitsFor(f *function, p place) bool {
	for _, b := range f.ssa.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.UnOp:
				if instr.Op == token.ARROW && placeOf(instr.X) == p {
					return true
				}
			case *ssa.Select:
				if instr.Blocking && !hasWayOut(instr) {
					for _, st := range instr.States {
						if st.Dir == types.RecvOnly && placeOf(st.Chan) == p {
							return true
						}
					}
				}
			case *ssa.Call:
				if isMethod(&instr.Call, "sync", "WaitGroup", "Wait") && placeOf(instr.Call.Args[0]) == p {
					return true
				}
			}
		}
	}
	return false
}

// deferredWait reports whether f waits on the place in a defer.
func deferredWait(f *function, p place) bool {
	for _, b := range f.ssa.Blocks {
		for _, instr := range b.Instrs {
			if d, ok := instr.(*ssa.Defer); ok && isMethod(&d.Call, "sync", "WaitGroup", "Wait") && placeOf(d.Call.Args[0]) == p {
				return true
			}
		}
	}
	return false
}

// hasWayOut reports whether a select can end without what it waits for: with a
// context, or with a timer.
func hasWayOut(s *ssa.Select) bool {
	for _, st := range s.States {
		if doneOf(st.Chan) != nil || st.Dir == types.RecvOnly && isTimer(st.Chan.Type()) {
			return true
		}
	}
	return false
}

// isTimer reports whether t is a channel of time.Time.
func isTimer(t types.Type) bool {
	ch, ok := t.Underlying().(*types.Chan)
	if !ok {
		return false
	}
	n := callee.Named(ch.Elem())
	return n != nil && n.Obj().Name() == "Time" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time"
}

// waitsOn reports whether f or a function around it calls the named method on
// the receiver, outside a goroutine.
func (e *engine) waitsOn(f *function, method string, recv ssa.Value) bool {
	want := placeOf(recv)
	for around := f; around != nil; around = around.parent {
		for _, cs := range around.calls {
			if _, apart := cs.instr.(*ssa.Go); apart {
				continue
			}
			for _, t := range cs.targets {
				if t.Obj != nil && t.Obj.Name() == method && t.RecvShift() == 1 && placeOf(t.Args[0]) == want {
					return true
				}
			}
		}
	}
	return false
}
