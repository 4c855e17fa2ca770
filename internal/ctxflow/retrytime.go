package ctxflow

import (
	"fmt"
	"go/constant"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file does the arithmetic of retries with times: only constants count,
// and what is not known to take time takes none.

// outlives compares the time that a loop's attempts and waits take, if all of
// them run into their timeouts, with the deadline that they run under.
func (e *engine) outlives(r *retryLoop) (why string, ok bool) {
	n, known := r.count.value().Most()
	if !known || r.count.value().IsUnknown() || n < 2 || n > 1000 {
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
	}
	limit, _, ok := timeout(ctx)
	if !ok {
		return "", false
	}
	wait, _ := e.flatWait(r)
	total := time.Duration(n)*each + time.Duration(n-1)*wait
	if total <= limit || each+wait == 0 {
		return "", false
	}
	started := min(int64(n), int64((limit-1)/(each+wait))+1)
	if started == int64(n) {
		return "", false // the last attempt is cut short, and no more
	}
	parts := fmt.Sprintf("%d attempts of %v", n, each)
	switch {
	case each == 0:
		parts = fmt.Sprintf("%d waits of %v between %d attempts", n-1, wait, n)
	case wait > 0:
		parts += fmt.Sprintf(" and waits of %v", wait)
	}
	return fmt.Sprintf("%s take %v, but their context ends after %v: the last %d can never start", parts, total, limit, int64(n)-started), true
}

// attemptContext is the context that the attempt is made on, or nil.
func (r *retryLoop) attemptContext() ssa.Value {
	for _, a := range r.work.instr.Common().Args {
		if provenance.IsContext(a.Type()) {
			return a
		}
	}
	return nil
}

// timeout is the constant time with which context.WithTimeout made a context,
// and the context that it was made from.
func timeout(ctx ssa.Value) (d time.Duration, from ssa.Value, ok bool) {
	ex, ok := ctx.(*ssa.Extract)
	if !ok {
		return 0, nil, false
	}
	c, ok := ex.Tuple.(*ssa.Call)
	if !ok {
		return 0, nil, false
	}
	fn := c.Call.StaticCallee()
	if fn == nil || fn.Pkg == nil || fn.Pkg.Pkg.Path() != "context" || fn.Name() != "WithTimeout" {
		return 0, nil, false
	}
	d, ok = duration(c.Call.Args[1])
	return d, c.Call.Args[0], ok
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
	for _, b := range r.loop.Blocks {
		if !r.loop.EveryRound(b) {
			continue
		}
		for _, instr := range b.Instrs {
			c, ok := instr.(*ssa.Call)
			if !ok {
				continue
			}
			fn := c.Call.StaticCallee()
			if fn == nil || fn.Pkg == nil || fn.Pkg.Pkg.Path() != "time" || fn.Name() != "Sleep" && fn.Name() != "After" && fn.Name() != "NewTimer" {
				continue
			}
			if d, ok := duration(c.Call.Args[0]); ok {
				return d, c
			}
		}
	}
	return 0, nil
}
