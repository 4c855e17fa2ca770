package ctxflow

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file finds waits that cancellation cannot end (CTX203): sleeps, bare
// channel operations, selects without a way out, wait groups and conditions.
//
// Whether a wait ends by itself depends on the other side, which one function
// rarely shows. A wait counts only if its other side is known to be somebody
// else: a channel in a field of something that lives longer, or one that was
// handed away. Channels that arrive as a parameter or as the result of a call
// are left alone, and so is whatever goroutines started here will end.

// shortSleep is the longest sleep, in nanoseconds, that is left alone: a tenth
// of a second is a tenth of the shortest deadline that services commonly set.
const shortSleep = 100_000_000

// waits lists such waits in f.
func (e *engine) waits(f *function) []*lapse {
	var out []*lapse
	add := func(l *lapse, rule Rule) {
		if l == nil {
			return
		}
		e.addWait(l, rule)
		if rule == "" {
			out = append(out, l)
		}
	}
	for _, b := range f.ssa.Blocks {
		for _, instr := range b.Instrs {
			add(e.waitAt(f, instr))
		}
	}
	for _, cs := range f.calls {
		if call, ok := cs.instr.(*ssa.Call); ok {
			add(e.waitCall(f, cs, call))
		}
	}
	return out
}

// addWait notes a wait for -why.
func (e *engine) addWait(l *lapse, rule Rule) {
	if e.sites[l.at.Pos()] == nil {
		e.sites[l.at.Pos()] = &Site{Pos: l.at.Pos(), In: l.home.name(), Sink: l.sink.Name, Grade: e.gradeAt(l.home), Rule: rule}
	}
}

// waitAt judges one instruction: it returns the wait, if it is one for somebody
// else, and the rule by which that is right as it is.
func (e *engine) waitAt(f *function, instr ssa.Instruction) (*lapse, Rule) {
	l := &lapse{code: finding.UncancellableWait, home: f, at: instr, pos: instr.Pos()}
	others, rule := false, Rule("")
	switch instr := instr.(type) {
	case *ssa.UnOp:
		if instr.Op != token.ARROW || isRangeOver(instr) {
			return nil, ""
		}
		others, rule = e.awaitsOthers(f, instr, instr.X, types.RecvOnly)
		l.sink = waitSink("receive", "the receive from "+chanName(instr.X))
		if isTimer(instr.X.Type()) {
			l.sink = waitSink("timer", "the wait for "+chanName(instr.X))
		}
		l.end = l.pos + 2 // <-
	case *ssa.Send:
		others, rule = e.awaitsOthers(f, instr, instr.Chan, types.SendOnly)
		l.sink = waitSink("send", "the send on "+chanName(instr.Chan))
		l.end = l.pos + 2
	case *ssa.Select:
		others, rule = e.selectsOthers(f, instr)
		l.sink = waitSink("select", "the select")
		l.end = l.pos + token.Pos(len("select"))
	}
	if !others || !l.pos.IsValid() {
		return nil, ""
	}
	return l, rule
}

// waitSink is what a wait on channels is in messages and identities, which
// must not hold the name of a variable.
func waitSink(key, name string) Sink {
	return Sink{Key: key, Name: name, Class: string(catalog.Waiting), Known: true}
}

// waitCall judges a call of a catalogued wait.
func (e *engine) waitCall(f *function, cs *callsite, call *ssa.Call) (*lapse, Rule) {
	for _, t := range cs.targets {
		if t.Obj == nil {
			continue
		}
		entry, ok := e.lookup(t)
		if !ok || entry.Kind != catalog.Wait || entry.Class != catalog.Waiting {
			continue
		}
		l := &lapse{code: finding.UncancellableWait, home: f, at: call, pos: call.Pos()}
		l.sink = Sink{Key: t.Obj.FullName(), Name: callee.ShortName(t.Obj), Class: string(entry.Class), Known: true}
		if t.RecvShift() == 1 {
			if others, rule := e.awaitsOthers(f, call, t.Args[0], types.RecvOnly); others {
				return l, rule
			}
			return nil, ""
		}
		if isShort(call.Call.Args) && !e.cfg.without[RuleShort] {
			return l, RuleShort
		}
		return l, ""
	}
	return nil, ""
}

// isShort reports whether a sleep is given a constant that is short.
func isShort(args []ssa.Value) bool {
	if len(args) != 1 {
		return false
	}
	c, ok := args[0].(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return false
	}
	d, exact := constant.Int64Val(c.Value)
	return exact && d <= shortSleep
}

// isRangeOver reports whether a receive is the head of a range over the
// channel: that one ends when the sender closes it.
func isRangeOver(recv *ssa.UnOp) bool {
	return recv.CommaOk && recv.Block().Comment == "rangechan.loop" && !isTimer(recv.X.Type())
}

// awaitsOthers reports whether the operation waits for somebody who is not in
// sight, and the rule by which that is right as it is.
func (e *engine) awaitsOthers(f *function, at ssa.Instruction, on ssa.Value, dir types.ChanDir) (others bool, rule Rule) {
	if dir == types.RecvOnly && endChannel(on) {
		return false, ""
	}
	rules := []struct {
		rule  Rule
		holds func() bool
	}{
		{RuleToldToEnd, func() bool { return toldToEnd(at) }},
		{RuleSlot, func() bool { return e.turnsTaken(f, at, on, dir) }},
		{RuleReply, func() bool { return dir == types.SendOnly && e.hasRoom(on) }},
	}
	if held, ok := timerOf(on); ok {
		if !held {
			return false, ""
		}
		rules = rules[:1]
		rules[0].rule, rules[0].holds = RuleShort, func() bool { return e.shortTimer(on) }
	} else if hasClosure(placeOf(on)) || e.sharedWithClosure(f, placeOf(on), dir) {
		if !e.cfg.without[RuleJoined] {
			return true, RuleJoined
		}
	} else if !e.ofOthers(on) {
		return false, ""
	}
	for _, r := range rules {
		if !e.cfg.without[r.rule] && r.holds() {
			return true, r.rule
		}
	}
	return true, ""
}

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

// timerOf reports whether a value is the channel of a timer or ticker, or what
// time.After returns, and whether it is one that is made or held by f's own
// side: a channel of times that comes from elsewhere is anybody's.
func timerOf(ch ssa.Value) (held, ok bool) {
	if _, isChan := ch.Type().Underlying().(*types.Chan); !isChan || !isTimer(ch.Type()) {
		return false, false
	}
	switch ch := ch.(type) {
	case *ssa.Call:
		fn := ch.Call.StaticCallee()
		return fn != nil && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "time", true
	case *ssa.UnOp:
		fa, ok := ch.X.(*ssa.FieldAddr)
		if !ok {
			return false, true
		}
		n := callee.Named(fa.X.Type())
		return n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time", true
	}
	return false, true
}

// shortTimer reports whether a timer is known to fire soon.
func (e *engine) shortTimer(ch ssa.Value) bool {
	switch ch := ch.(type) {
	case *ssa.Call:
		return isShort(ch.Call.Args)
	case *ssa.UnOp:
		made, ok := placeOf(ch.X.(*ssa.FieldAddr).X).root.(*ssa.Call)
		return ok && isShort(made.Call.Args)
	}
	return false
}

// ofOthers reports whether a channel, a wait group or a condition is shared
// with code that f and its closures do not show: it is in a field of something
// that f was not just given, in a global, or made here and given away.
func (e *engine) ofOthers(v ssa.Value) bool {
	at := placeOf(v)
	switch root := at.root.(type) {
	case *ssa.Global:
		return true
	case *ssa.MakeChan:
		return givenAway(root, 0)
	case *ssa.Alloc:
		return at.path != "" && givenAway(root, 0) && isChan(v.Type())
	case *ssa.Parameter:
		return at.path != "" && e.longLived(v)
	case *ssa.Call, *ssa.Extract, *ssa.Lookup, *ssa.IndexAddr, *ssa.Index:
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

// signalsEnd matches a close of a channel and Done of a wait group.
func signalsEnd(instr ssa.Instruction, p place) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	c := call.Common()
	b, builtin := c.Value.(*ssa.Builtin)
	return (builtin && b.Name() == "close" || isMethod(c, "sync", "WaitGroup", "Done")) && placeOf(c.Args[0]) == p
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

// givenAway reports whether a channel or a struct that was made here is handed
// to code out of sight, by a call, a send or a store, and no closure has it:
// a closure that has it is most likely its other side.
func givenAway(v ssa.Value, depth int) bool {
	if depth > 6 || v.Referrers() == nil {
		return false
	}
	away := false
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.MakeClosure, *ssa.Go, *ssa.Return:
			return false
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
			away = away || ref.Value == v
		case *ssa.Store:
			if ref.Val != v {
				continue
			}
			base := localBase(ref.Addr)
			if base == nil {
				away = true
				continue
			}
			if !heldOrGiven(base, depth, &away) {
				return false
			}
		case *ssa.UnOp:
			if ref.Op == token.MUL {
				if !heldOrGiven(ref, depth, &away) {
					return false
				}
			}
		case *ssa.ChangeType, *ssa.MakeInterface, *ssa.Phi:
			if !heldOrGiven(ref.(ssa.Value), depth, &away) {
				return false
			}
		}
	}
	return away
}

// heldOrGiven looks at a copy of what is given away; it reports false if a
// closure or goroutine has the copy.
func heldOrGiven(v ssa.Value, depth int, away *bool) bool {
	if inClosure(v) {
		return false
	}
	*away = *away || givenAway(v, depth+1)
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

// toldToEnd reports whether the other side has been told to come to an end
// before: a cancel function was called, a channel closed, or something stopped.
func toldToEnd(at ssa.Instruction) bool {
	fn := at.Parent()
	for _, b := range fn.Blocks {
		if !b.Dominates(at.Block()) {
			continue
		}
		for _, instr := range b.Instrs {
			if instr == at {
				break
			}
			if call, ok := instr.(*ssa.Call); ok && tellsToEnd(&call.Call) {
				return true
			}
		}
	}
	return false
}

func tellsToEnd(c *ssa.CallCommon) bool {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return b.Name() == "close"
	}
	if isCancel(c.Value.Type()) {
		return true
	}
	name := ""
	switch {
	case c.IsInvoke():
		name = c.Method.Name()
	case c.StaticCallee() != nil:
		name = c.StaticCallee().Name()
	default:
		name = valueName(c.Value)
	}
	for _, verb := range endVerbs {
		if hasVerb(name, verb) {
			return true
		}
	}
	return false
}

var endVerbs = []string{"Cancel", "Close", "End", "Finish", "Halt", "Kill", "Quit", "Shutdown", "Signal", "Stop", "Terminate"}

// isCancel matches context.CancelFunc and CancelCauseFunc.
func isCancel(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && isFunc(n) && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context"
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

// selectsOthers reports whether a select waits for others in every case, and
// the rule by which one of its cases is right as it is. A case that the end of
// something takes, a channel of empty structs, is a way out unless a request is
// known to wait here.
func (e *engine) selectsOthers(f *function, s *ssa.Select) (others bool, rule Rule) {
	if !s.Blocking || len(s.States) == 0 || hasWayOut(s) {
		return false, ""
	}
	for _, st := range s.States {
		if _, called := st.Chan.(*ssa.Call); called {
			return false, ""
		}
		others, r := e.awaitsOthers(f, s, st.Chan, st.Dir)
		if !others {
			return false, ""
		}
		if r == "" && st.Dir == types.RecvOnly && isEmptyStruct(st.Chan.Type()) && !e.reached[f] && !e.cfg.without[RuleQuit] {
			r = RuleQuit
		}
		if r != "" {
			rule = r
		}
	}
	return true, rule
}

// chanName spells a channel for messages.
func chanName(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.UnOp:
		if fa, ok := v.X.(*ssa.FieldAddr); ok {
			if _, made := fa.X.(*ssa.Call); made && isTimer(v.Type()) {
				return "a timer"
			}
			if base := chanName(fa.X); base != "" && base != noName {
				return base + "." + fieldName(fa.X.Type(), fa.Field)
			}
			return fieldName(fa.X.Type(), fa.Field)
		}
		return chanName(v.X)
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Global:
		return v.Name()
	case *ssa.Alloc:
		if v.Comment != "" && v.Comment != "complit" && v.Comment != "new" {
			return v.Comment
		}
	case *ssa.FieldAddr:
		return chanName(v.X) + "." + fieldName(v.X.Type(), v.Field)
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); fn != nil && fn.Pkg != nil {
			return fn.Pkg.Pkg.Name() + "." + fn.Name()
		}
	}
	return noName
}

const noName = "a channel"
