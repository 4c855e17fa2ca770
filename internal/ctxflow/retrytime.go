package ctxflow

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file does the arithmetic of retries with times: only constants count,
// and what is not known to take time takes none.

// outlives compares the time that a loop's attempts and waits take, if all of
// them run into their timeouts, with the deadline that they run under.
func (e *engine) outlives(r *retryLoop) (why string, ok bool) {
	most, known := r.count.value().Most()
	if !known || r.count.value().IsUnknown() || most < 2 || most > 1000 {
		return "", false
	}
	ctx := r.attemptContext()
	if ctx == nil {
		return "", false
	}
	var each time.Duration
	if !r.loop.Invariant(ctx) {
		if each, ctx, ok = timeout(ctx); !ok || !r.loop.Invariant(ctx) {
			return "", false
		}
	} else {
		each = e.ownTimeout(r.work)
	}
	limit, _, ok := timeout(ctx)
	if !ok {
		return "", false
	}
	waits := e.waitsOf(r, most-1)
	started, begin := 1, each // the next attempt begins, at the earliest, when all before have timed out
	for _, wait := range waits {
		if begin += wait; begin < limit {
			started++
		}
		begin += each
	}
	if started == most {
		return "", false // the last attempt is cut short, and no more
	}
	return fmt.Sprintf("%s take %v, but their context ends after %v: the last %d can never start", partsOf(most, each, waits), begin, limit, most-started), true
}

// partsOf says what takes time in a loop.
func partsOf(n int, each time.Duration, waits []time.Duration) string {
	wait := fmt.Sprintf("waits of %v", waits[0])
	if last := waits[len(waits)-1]; last != waits[0] {
		wait = fmt.Sprintf("waits of %v to %v", slices.Min(waits), slices.Max(waits))
	}
	switch {
	case each == 0:
		return fmt.Sprintf("%d %s between %d attempts", n-1, wait, n)
	case slices.Max(waits) > 0:
		return fmt.Sprintf("%d attempts of %v and %s", n, each, wait)
	}
	return fmt.Sprintf("%d attempts of %v", n, each)
}

// attemptContext is the context that the attempt is made on, or nil.
func (r *retryLoop) attemptContext() ssa.Value { return contextIn(r.work.instr.Common()) }

func contextIn(c *ssa.CallCommon) ssa.Value {
	for _, a := range c.Args {
		if provenance.IsContext(a.Type()) {
			return a
		}
	}
	return nil
}

// ownTimeout is the constant time that a function of the package, which is
// what is tried, gives itself before anything else that takes the context.
func (e *engine) ownTimeout(cs *callsite) time.Duration {
	if len(cs.targets) != 1 || cs.targets[0].Fn == nil || e.bySSA[cs.targets[0].Fn] == nil {
		return 0
	}
	fn := cs.targets[0].Fn
	for _, p := range fn.Params {
		if !provenance.IsContext(p.Type()) || p.Referrers() == nil {
			continue
		}
		if len(*p.Referrers()) != 1 { // it may work on the parameter itself
			return 0
		}
		if c, ok := (*p.Referrers())[0].(*ssa.Call); ok && c.Block().Index == 0 {
			d, _ := timeoutOf(c)
			return d
		}
	}
	return 0
}

// timeout is the constant time with which a context was made, and the context
// that it was made from.
func timeout(ctx ssa.Value) (d time.Duration, from ssa.Value, ok bool) {
	ex, ok := ctx.(*ssa.Extract)
	if !ok {
		return 0, nil, false
	}
	c, ok := ex.Tuple.(*ssa.Call)
	if !ok {
		return 0, nil, false
	}
	d, ok = timeoutOf(c)
	if !ok {
		return 0, nil, false
	}
	return d, c.Call.Args[0], true
}

// timeoutOf is the constant time of a call of context.WithTimeout, or of
// context.WithDeadline with one that is counted from now.
func timeoutOf(c *ssa.Call) (time.Duration, bool) {
	switch calledIn(&c.Call, "context") {
	case "WithTimeout", "WithTimeoutCause":
		return duration(c.Call.Args[1])
	case "WithDeadline", "WithDeadlineCause":
		add, ok := c.Call.Args[1].(*ssa.Call)
		if !ok || calledIn(&add.Call, "time") != "Add" {
			return 0, false
		}
		if now, ok := add.Call.Args[0].(*ssa.Call); ok && calledIn(&now.Call, "time") == "Now" {
			return duration(add.Call.Args[1])
		}
	}
	return 0, false
}

// calledIn is the name of the function of the package that is called, or "".
func calledIn(c *ssa.CallCommon, pkg string) string {
	if calledPackage(c) == pkg {
		return c.StaticCallee().Name()
	}
	return ""
}

func duration(v ssa.Value) (time.Duration, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return 0, false
	}
	n, ok := constant.Int64Val(c.Value)
	return time.Duration(n), ok
}

// flatWait is the constant time that every round of the loop waits, or 0, and
// the call that is given it.
func (e *engine) flatWait(r *retryLoop) (time.Duration, *ssa.Call) {
	c := everyWait(r)
	if c == nil {
		return 0, nil
	}
	d, _ := duration(c.Call.Args[0])
	return d, c
}

// everyWait is the call by which every round of the loop waits, or nil.
func everyWait(r *retryLoop) *ssa.Call {
	for _, b := range r.loop.Blocks {
		if !r.loop.EveryRound(b) {
			continue
		}
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok && slices.Contains([]string{"Sleep", "After", "NewTimer"}, calledIn(&c.Call, "time")) {
				return c
			}
		}
	}
	return nil
}

// waitsOf lists the shortest times that the first n rounds of the loop wait:
// 0 for those that are not known.
func (e *engine) waitsOf(r *retryLoop, n int) []time.Duration {
	waits := make([]time.Duration, n)
	c := everyWait(r)
	if c == nil {
		return waits
	}
	// A round's value is made of the one before, so that they grow with n.
	for k := range min(n, maxWaits) {
		d, ok := r.atRound(c.Call.Args[0], k, 0)
		if !ok || d < 0 || d > int64(24*time.Hour) {
			break
		}
		waits[k] = time.Duration(d)
	}
	return waits
}

// maxWaits bounds the rounds whose waits are counted.
const maxWaits = 64

// atRound is the least value of an integer in a round of the loop, the first
// of which is 0. ok is false if it is not known.
func (r *retryLoop) atRound(v ssa.Value, k, depth int) (n int64, ok bool) {
	if depth > 4*maxWaits {
		return 0, false
	}
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil || v.Value.Kind() != constant.Int {
			return 0, false
		}
		return constant.Int64Val(v.Value)
	case *ssa.Convert:
		if b, ok := v.X.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
			return 0, false
		}
		return r.atRound(v.X, k, depth+1)
	case *ssa.ChangeType:
		return r.atRound(v.X, k, depth+1)
	case *ssa.Phi:
		return r.phiAt(v, k, depth)
	case *ssa.Call:
		return r.callAt(v, k, depth)
	case *ssa.BinOp:
		x, ok := r.atRound(v.X, k, depth+1)
		if !ok {
			return 0, false
		}
		y, ok := r.atRound(v.Y, k, depth+1)
		if !ok {
			return 0, false
		}
		return calculated(v.Op, x, y)
	}
	return 0, false
}

// phiAt is the value of a variable that the loop moves along.
func (r *retryLoop) phiAt(v *ssa.Phi, k, depth int) (int64, bool) {
	if v.Block() != r.loop.Head {
		return 0, false
	}
	var next ssa.Value
	for i, edge := range v.Edges {
		switch inside := r.loop.Contains(v.Block().Preds[i]); {
		case !inside && k == 0:
			return r.atRound(edge, 0, depth+1)
		case inside && next != nil && next != edge:
			return 0, false
		case inside:
			next = edge
		}
	}
	if k == 0 || next == nil {
		return 0, false
	}
	return r.atRound(next, k-1, depth+1)
}

// callAt is the least that min, max and random numbers come to.
func (r *retryLoop) callAt(c *ssa.Call, k, depth int) (int64, bool) {
	if pkg := calledPackage(&c.Call); pkg == "math/rand" || pkg == "math/rand/v2" {
		return 0, true
	}
	b, ok := c.Call.Value.(*ssa.Builtin)
	if !ok || b.Name() != "min" && b.Name() != "max" {
		return 0, false
	}
	var out int64
	for i, arg := range c.Call.Args {
		n, ok := r.atRound(arg, k, depth+1)
		if !ok {
			return 0, false
		}
		if i == 0 || (n < out) == (b.Name() == "min") {
			out = n
		}
	}
	return out, true
}

func calledPackage(c *ssa.CallCommon) string {
	fn := c.StaticCallee()
	if fn != nil && fn.Origin() != nil {
		fn = fn.Origin()
	}
	if fn == nil || fn.Pkg == nil {
		return ""
	}
	return fn.Pkg.Pkg.Path()
}

// calculated is x op y, unless that leaves what a wait can be.
func calculated(op token.Token, x, y int64) (int64, bool) {
	const most = int64(1) << 52
	var n int64
	switch {
	case x < -most || x > most || y < -most || y > most:
		return 0, false
	case op == token.ADD:
		n = x + y
	case op == token.SUB:
		n = x - y
	case op == token.MUL && (x == 0 || y == 0 || x*y/y == x):
		n = x * y
	case op == token.QUO && y != 0:
		n = x / y
	case op == token.SHL && 0 <= y && y < 52 && x < most>>y && x > -(most>>y):
		n = x << y
	default:
		return 0, false
	}
	return n, true
}
