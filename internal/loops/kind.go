package loops

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Kind says what makes a loop go round, as far as its own shape tells.
type Kind uint8

const (
	// Other loops are of no shape that is known here; retries are among them.
	Other Kind = iota
	// Each goes over the elements of a slice, array, map or string.
	Each
	// Drain takes from a source until that has no more: a channel that is
	// ranged over, or a method such as Next or Scan whose result is the
	// loop's condition.
	Drain
	// Poll goes on until a call answers true.
	Poll
	// Event waits in every round for a channel on which something comes: not
	// only for a context or for a timer that the round itself has set.
	Event
	// Counted goes on while a number is below a limit.
	Counted
)

func (k Kind) String() string {
	return [...]string{"other", "each", "drain", "poll", "event", "counted"}[k]
}

// Kind classifies the loop.
func (l *Loop) Kind() Kind {
	for _, exit := range l.Exits() {
		branch, ok := exit.From.Instrs[len(exit.From.Instrs)-1].(*ssa.If)
		if !ok || !l.EveryRound(exit.From) {
			continue
		}
		switch cond := branch.Cond.(type) {
		case *ssa.Extract:
			switch src := cond.Tuple.(type) {
			case *ssa.Next:
				return Each
			case *ssa.UnOp:
				if src.Op == token.ARROW {
					return Drain
				}
			case *ssa.Call:
				if branch.Block().Succs[0] == exit.To {
					return Poll
				}
				return Drain
			}
		case *ssa.Call:
			if takesNext(&cond.Call) {
				return Drain
			}
			if branch.Block().Succs[0] == exit.To {
				return Poll
			}
		case *ssa.BinOp:
			if isLen(cond.Y) || isLen(cond.X) {
				return Each
			}
		}
	}
	if l.waitsEveryRound() {
		return Event
	}
	for _, b := range l.Bounds() {
		if b.Every {
			return Counted
		}
	}
	return Other
}

// takesNext reports whether the call is a method that moves to the next
// element and says whether there is one.
func takesNext(c *ssa.CallCommon) bool {
	sig := c.Signature()
	if sig.Results().Len() != 1 || !c.IsInvoke() && sig.Recv() == nil {
		return false
	}
	basic, ok := sig.Results().At(0).Type().Underlying().(*types.Basic)
	if !ok || basic.Kind() != types.Bool {
		return false
	}
	switch methodName(c) {
	case "Next", "Scan", "More", "NextResultSet", "Advance":
		return true
	}
	return false
}

func methodName(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.Name()
	}
	if fn := c.StaticCallee(); fn != nil {
		return fn.Name()
	}
	return ""
}

func isLen(v ssa.Value) bool {
	c, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := c.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "len"
}

// waitsEveryRound reports whether every way round the loop receives from a
// channel on which something comes.
func (l *Loop) waitsEveryRound() bool {
	for _, b := range l.Blocks {
		if !l.EveryRound(b) {
			continue
		}
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Select:
				for _, st := range instr.States {
					if st.Dir == types.RecvOnly && l.brings(st.Chan) {
						return true
					}
				}
			case *ssa.UnOp:
				if instr.Op == token.ARROW && l.brings(instr.X) {
					return true
				}
			}
		}
	}
	return false
}

// brings reports whether a channel is neither a context's Done nor a timer
// set in the round.
func (l *Loop) brings(ch ssa.Value) bool {
	switch v := ch.(type) {
	case *ssa.Call:
		name := methodName(&v.Call)
		return name != "Done" && name != "After"
	case *ssa.UnOp: // the field C of a timer
		if fa, ok := v.X.(*ssa.FieldAddr); ok && l.in[fa.Block()] {
			return !madeIn(l, fa.X) || !isTimer(fa.X.Type())
		}
	}
	return true
}

func madeIn(l *Loop, v ssa.Value) bool {
	instr, ok := v.(ssa.Instruction)
	return ok && l.in[instr.Block()]
}

func isTimer(t types.Type) bool {
	p, ok := t.(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && n.Obj().Name() == "Timer" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time"
}
