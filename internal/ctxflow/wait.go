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
	"github.com/ctxprop/ctxprop/internal/loops"
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
		if instr.Op != token.ARROW || isRangeOver(instr) && !e.rangesForEver(f, instr.X) {
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
		l.weak = hasTimer(instr)
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

// rangesForEver reports whether a request goes over a subscription that the
// package never closes: when its client has left, it notices with the next
// element at the earliest.
func (e *engine) rangesForEver(f *function, ch ssa.Value) bool {
	return e.reached[f] && e.enrolled(placeOf(ch).root) && !e.closesAny(ch.Type())
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
	} else if hasClosure(placeOf(on)) || e.sharedWithClosure(f, placeOf(on), dir) || !isChan(on.Type()) && e.startsItsOwn(placeOf(on)) {
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

// selectsOthers reports whether a select waits for others in every case, and
// the rule by which one of its cases is right as it is. A case that the end of
// something takes, a channel of empty structs, is a way out unless a request is
// known to wait here.
func (e *engine) selectsOthers(f *function, s *ssa.Select) (others bool, rule Rule) {
	if !s.Blocking || len(s.States) == 0 || hasWayOut(s) && !e.waitsForLimit(f, s) {
		return false, ""
	}
	for _, st := range s.States {
		if isTimer(st.Chan.Type()) {
			continue
		}
		if call, called := st.Chan.(*ssa.Call); called && !e.enrolled(call) {
			return false, ""
		}
		var r Rule
		if others, r = e.awaitsOthers(f, s, st.Chan, st.Dir); !others {
			return false, ""
		}
		if r == "" && st.Dir == types.RecvOnly && isEmptyStruct(st.Chan.Type()) && !e.reached[f] && !e.cfg.without[RuleQuit] {
			r = RuleQuit
		}
		if r != "" {
			rule = r
		}
	}
	return others, rule
}

// waitsForLimit reports whether the one way out of a select is the end of a timer
// that is not known to be short, where a context is at hand that would be another.
// A select that a loop repeats is the loop's affair.
func (e *engine) waitsForLimit(f *function, s *ssa.Select) bool {
	if len(e.atHand(f)) == 0 || loops.Around(e.loopsOf(f.ssa), s.Block()) != nil {
		return false
	}
	for _, st := range s.States {
		if doneOf(st.Chan) != nil {
			return false
		}
		if held, timer := timerOf(st.Chan); timer && (!held || e.shortTimer(st.Chan)) {
			return false
		}
	}
	return true
}

func hasTimer(s *ssa.Select) bool {
	return slices.ContainsFunc(s.States, func(st *ssa.SelectState) bool { return isTimer(st.Chan.Type()) })
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
	case *ssa.Extract:
		return chanName(v.Tuple)
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); fn != nil {
			if obj, ok := fn.Object().(*types.Func); ok {
				return callee.ShortName(obj.Origin())
			}
		}
	}
	return noName
}

const noName = "a channel"
