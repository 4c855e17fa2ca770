package loops

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Bound is a test that ends a loop by count: it passes Limit + Add times at
// most. Without a Limit the number is Add.
type Bound struct {
	Limit ssa.Value       // the same in every round; nil if the number is constant
	Add   int64           // never negative if Limit is nil
	Test  *ssa.BasicBlock // ends in the test
	// Every: every way round the loop counts and passes the test.
	Every bool
	// Unknown: the loop ends by count, but at a number that cannot be told.
	Unknown bool
}

// Times is how often the bound lets control reach a block of the loop: the
// blocks that the test guards as often as it passes, the others once more.
func (b Bound) Times(at *ssa.BasicBlock) Bound {
	if b.Test != at && b.Test.Dominates(at) {
		return b
	}
	b.Add++
	return b
}

// Bounds lists the tests that end the loop by count.
func (l *Loop) Bounds() []Bound {
	var out []Bound
	for _, exit := range l.Exits() {
		branch, ok := exit.From.Instrs[len(exit.From.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		cmp, ok := branch.Cond.(*ssa.BinOp)
		if !ok {
			continue
		}
		op := cmp.Op
		if exit.From.Succs[0] == exit.To { // the test says when to leave
			op = negated[op]
		}
		if b, ok := l.bound(cmp.X, op, cmp.Y, exit.From); ok {
			out = append(out, b)
		} else if b, ok := l.bound(cmp.Y, mirrored[op], cmp.X, exit.From); ok {
			out = append(out, b)
		}
	}
	return out
}

var negated = map[token.Token]token.Token{
	token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
}

var mirrored = map[token.Token]token.Token{
	token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ,
	token.EQL: token.EQL, token.NEQ: token.NEQ,
}

// bound reads the test "x op limit" by which the loop goes on, if x counts.
func (l *Loop) bound(x ssa.Value, op token.Token, limit ssa.Value, test *ssa.BasicBlock) (Bound, bool) {
	c := l.counter(x)
	if c == nil || !l.steady(limit, 0) {
		return Bound{}, false
	}
	offset, ok := l.single(c, x)
	if !ok {
		return Bound{}, false
	}
	step, every, ok := l.step(c)
	if !ok {
		return Bound{}, false
	}
	b := Bound{Test: test, Every: every && l.EveryRound(test)}
	up := step > 0
	inclusive := false
	switch {
	case op == token.NEQ, up && op == token.LSS, !up && op == token.GTR:
	case up && op == token.LEQ, !up && op == token.GEQ:
		inclusive = true
	default:
		return Bound{}, false // it leaves at the first round or never
	}
	initC, initOK := intConst(c.init)
	limitC, limitOK := intConst(limit)
	switch {
	case initOK && limitOK:
		b.Add = passes(limitC-initC-offset, step, inclusive)
		return b, true
	case c.init == nil || step != 1 && step != -1:
		b.Unknown = true
	case up && initOK:
		b.Limit, b.Add = limit, -initC-offset
	case !up && limitOK:
		b.Limit, b.Add = c.init, offset-limitC
	default:
		b.Unknown = true
	}
	if inclusive {
		b.Add++
	}
	return b, true
}

// passes is how many of 0, step, 2*step, … lie before distance, or up to it.
func passes(distance, step int64, inclusive bool) int64 {
	if step < 0 {
		distance, step = -distance, -step
	}
	switch {
	case distance < 0, distance == 0 && !inclusive:
		return 0
	case inclusive:
		return distance/step + 1
	}
	return (distance + step - 1) / step
}

// counter is the variable that a test counts with: a phi at the loop's head,
// or a cell of memory for a variable that a closure shares or a field holds.
type counter struct {
	phi  *ssa.Phi
	cell ssa.Value // an Alloc, FreeVar or FieldAddr
	init ssa.Value // nil if it is not known or not one
}

func (l *Loop) counter(x ssa.Value) *counter {
	x = stripConvert(x)
	switch v := x.(type) {
	case *ssa.BinOp:
		if v.Op == token.ADD || v.Op == token.SUB {
			if _, ok := intConst(v.Y); ok {
				return l.counter(v.X)
			}
		}
	case *ssa.Phi:
		if v.Block() == l.Head {
			return &counter{phi: v, init: l.initial(v)}
		}
		for _, e := range v.Edges { // a merge of the counter with itself, stepped
			if c := l.counterBehind(e, 0); c != nil {
				return c
			}
		}
	case *ssa.UnOp:
		if v.Op == token.MUL && l.in[v.Block()] {
			return l.cellCounter(v.X)
		}
	}
	return nil
}

func (l *Loop) counterBehind(v ssa.Value, depth int) *counter {
	if depth > 4 {
		return nil
	}
	switch v := stripConvert(v).(type) {
	case *ssa.BinOp:
		if v.Op == token.ADD || v.Op == token.SUB {
			return l.counterBehind(v.X, depth+1)
		}
	case *ssa.Phi:
		if v.Block() == l.Head {
			return &counter{phi: v, init: l.initial(v)}
		}
	}
	return nil
}

// initial is the one value with which the loop is entered, or nil.
func (l *Loop) initial(phi *ssa.Phi) ssa.Value {
	var init ssa.Value
	for i, p := range l.Head.Preds {
		if l.in[p] {
			continue
		}
		if init != nil && !sameConst(init, phi.Edges[i]) {
			return nil
		}
		init = phi.Edges[i]
	}
	return init
}

// cellCounter is the counter in a cell that the loop stores to.
func (l *Loop) cellCounter(cell ssa.Value) *counter {
	c := &counter{cell: cell}
	steps := false
	var inits []ssa.Value
	for _, st := range storesTo(cell) {
		if l.in[st.Block()] {
			steps = true
		} else {
			inits = append(inits, st.Val)
		}
	}
	if !steps {
		return nil
	}
	if _, local := cell.(*ssa.Alloc); local && len(inits) == 1 {
		c.init = inits[0]
	}
	return c
}

func storesTo(cell ssa.Value) []*ssa.Store {
	var out []*ssa.Store
	for _, b := range blocksOf(cell) {
		for _, instr := range b.Instrs {
			if st, ok := instr.(*ssa.Store); ok && sameCell(st.Addr, cell) {
				out = append(out, st)
			}
		}
	}
	return out
}

func blocksOf(v ssa.Value) []*ssa.BasicBlock {
	if fn := v.Parent(); fn != nil {
		return fn.Blocks
	}
	return nil
}

// sameCell reports whether two addresses are those of one variable, or of one
// field of one value.
func sameCell(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	fa, ok := a.(*ssa.FieldAddr)
	fb, ok2 := b.(*ssa.FieldAddr)
	return ok && ok2 && fa.Field == fb.Field && sameCell(fa.X, fb.X)
}

// single is how far x is from the counter, if that is one number.
func (l *Loop) single(c *counter, x ssa.Value) (int64, bool) {
	offsets, ok := l.offsets(c, x, 0)
	if !ok || len(offsets) == 0 {
		return 0, false
	}
	low := offsets[0]
	for _, o := range offsets {
		low = min(low, o)
	}
	return low, true
}

// step is how far the counter moves in one round at least, and whether it
// moves on every way round.
func (l *Loop) step(c *counter) (step int64, every, ok bool) {
	var all []int64
	if c.phi != nil {
		for i, p := range l.Head.Preds {
			if l.in[p] {
				offsets, ok := l.offsets(c, c.phi.Edges[i], 0)
				if !ok {
					return 0, false, false
				}
				all = append(all, offsets...)
			}
		}
		every = true
	} else {
		for _, st := range storesTo(c.cell) {
			if !l.in[st.Block()] {
				continue
			}
			offsets, ok := l.offsets(c, st.Val, 0)
			if !ok {
				return 0, false, false
			}
			all = append(all, offsets...)
			every = every || l.EveryRound(st.Block())
		}
	}
	for _, o := range all {
		switch {
		case o == 0:
			every = false
		case step == 0, o > 0 && step > 0 && o < step, o < 0 && step < 0 && o > step:
			step = o
		case o > 0 != (step > 0):
			return 0, false, false
		}
	}
	return step, every, step != 0
}

// offsets lists the distances from the counter that v can have.
func (l *Loop) offsets(c *counter, v ssa.Value, depth int) ([]int64, bool) {
	if depth > 8 {
		return nil, false
	}
	v = stripConvert(v)
	if c.phi != nil && v == c.phi {
		return []int64{0}, true
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if c.cell != nil && v.Op == token.MUL && sameCell(v.X, c.cell) {
			return []int64{0}, true
		}
	case *ssa.BinOp:
		k, ok := intConst(v.Y)
		if !ok || v.Op != token.ADD && v.Op != token.SUB {
			return nil, false
		}
		if v.Op == token.SUB {
			k = -k
		}
		offsets, ok := l.offsets(c, v.X, depth+1)
		out := make([]int64, len(offsets))
		for i, o := range offsets {
			out[i] = o + k
		}
		return out, ok
	case *ssa.Phi:
		var out []int64
		for _, e := range v.Edges {
			if e == v {
				continue
			}
			offsets, ok := l.offsets(c, e, depth+1)
			if !ok {
				return nil, false
			}
			out = append(out, offsets...)
		}
		return out, true
	}
	return nil, false
}

// steady reports whether a limit is the same in every round: what a call
// gives or memory holds is taken to be, for a limit that moves with the loop
// would still have to be reached.
func (l *Loop) steady(v ssa.Value, depth int) bool {
	if l.Invariant(v) {
		return true
	}
	if depth > 4 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Convert:
		return l.steady(v.X, depth+1)
	case *ssa.ChangeType:
		return l.steady(v.X, depth+1)
	case *ssa.UnOp:
		return v.Op == token.MUL
	case *ssa.Field:
		return l.steady(v.X, depth+1)
	case *ssa.Call:
		return true
	case *ssa.BinOp:
		return l.steady(v.X, depth+1) && l.steady(v.Y, depth+1)
	}
	return false
}

func stripConvert(v ssa.Value) ssa.Value {
	for {
		switch c := v.(type) {
		case *ssa.Convert:
			v = c.X
		case *ssa.ChangeType:
			v = c.X
		default:
			return v
		}
	}
}

func intConst(v ssa.Value) (int64, bool) {
	if v == nil {
		return 0, false
	}
	c, ok := stripConvert(v).(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(c.Value)
}

func sameConst(a, b ssa.Value) bool {
	x, ok := intConst(a)
	y, ok2 := intConst(b)
	return a == b || ok && ok2 && x == y
}
