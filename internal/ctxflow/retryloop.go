package ctxflow

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/errflow"
	"github.com/ctxprop/ctxprop/internal/loops"
	"github.com/ctxprop/ctxprop/internal/provenance"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// This file tells which loops are retries.
//
// A loop retries a call if, assuming that everything succeeds, it is left, and
// assuming that the call fails, control comes to the call again. So a poll,
// which leaves on an error, is none, and neither is a drain, an event loop or
// a worker, which go round on success. The call must do the same thing each
// time: a loop that tries the next address, or the next element, fails over.

// retryLoop is a loop that retries a call.
type retryLoop struct {
	f       *function
	loop    *loops.Loop
	attempt *callsite      // the call whose error decides
	work    *callsite      // what it repeats: the attempt, or the call whose result that is made on
	retries retry.ErrorSet // on which control may come to the call again
	endless retry.ErrorSet // on which it certainly does, for ever
	count   count
	pos     token.Pos // of the for statement, or of the call
	stops   []string  // marks on which the loop is left
	only    []string  // marks without which it is left, one of which there must be
	// reopens: success goes round as well, with a wait for what the call has
	// opened: a supervisor, which counts for CTX304 only.
	reopens bool

	strips bool // it takes the marks in stops off what it returns

	waits bool // there is a wait between attempts
	tight bool // there certainly is none
	deaf  bool // after the context's end the wait goes on, and so do attempts
	taken bool // a verdict stands for it
}

// What a way from one attempt to the next passes.
const (
	passWait    errflow.Trail = 1 << iota // a wait for time to pass
	passMaybe                             // a call that may wait
	passConsult                           // a look at a context, or work on one
	passDeaf                              // a wait that no context ends
	passAlien                             // a look at a context that is certainly not the caller's
)

// failures are the classes that a remote call is assumed to fail with.
var failures = retry.AnyError.Minus(retry.Errors(retry.Permanent))

// retriesIn lists the retry loops of a function.
func (e *engine) retriesIn(f *function) []*retryLoop {
	if f.ssa.Blocks == nil || len(f.ssa.Blocks) > maxRetryBlocks {
		return nil
	}
	all := e.loopsOf(f.ssa)
	if len(all) == 0 {
		return nil
	}
	var out []*retryLoop
	for _, cs := range f.calls {
		call, ok := cs.instr.(*ssa.Call)
		if !ok || !e.mayFail(call) {
			continue
		}
		if l := loops.Around(all, call.Block()); l != nil {
			if r := e.retryOf(f, cs, l); r != nil {
				out = append(out, r)
			}
		}
	}
	return out
}

// asGoodAsEndless is a number of attempts that is only written where a number
// is asked for and none is meant, such as math.MaxInt: a million attempts of a
// millisecond each take a quarter of an hour, of a second each twelve days.
const asGoodAsEndless = 1_000_000

// maxRetryBlocks is the size above which a function is not searched for
// retries: its loops are those of a parser or an interpreter.
const maxRetryBlocks = 600

// mayFail reports whether the call returns an error that something looks at,
// and is not one that only makes or wraps errors.
func (e *engine) mayFail(call *ssa.Call) bool {
	index, ok := errflow.ErrorOf(call)
	if !ok || call.Referrers() == nil {
		return false
	}
	if fn := call.Call.StaticCallee(); fn != nil {
		for _, p := range fn.Params {
			if isError(p.Type()) {
				return false
			}
		}
		if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() != nil {
			switch obj.Pkg().Path() {
			case "errors", "fmt", "github.com/pkg/errors", "google.golang.org/grpc/status", "strconv", "encoding/json", "context":
				return false
			}
		}
	}
	if contextMethod(call, "Err") != nil {
		return false
	}
	if call.Call.Signature().Results().Len() == 1 {
		return len(*call.Referrers()) > 0
	}
	for _, ref := range *call.Referrers() {
		if ex, ok := ref.(*ssa.Extract); ok && ex.Index == index {
			return true
		}
	}
	return false
}

// reopensLater reports whether the loop comes back to a call that has succeeded
// once something else fails: it opens anew what it has read to its end.
func (e *engine) reopensLater(call *ssa.Call, l *loops.Loop) bool {
	ends, ok := e.errors.Run(errflow.Assumption{Call: call, Err: errflow.Error(retry.Errors(retry.OK)), Status: 200}, l, nil)
	return ok && comesAgain(ends)
}

// retryOf reports how the loop retries the call, or nil.
func (e *engine) retryOf(f *function, cs *callsite, l *loops.Loop) *retryLoop {
	call := cs.instr.(*ssa.Call)
	r := &retryLoop{f: f, loop: l, attempt: cs, work: e.workOf(f, cs)}
	flow := e.errors
	quick, ok := flow.Run(errflow.Assumption{Call: call, Err: errflow.Error(retry.Errors(retry.Plain))}, l, nil)
	if !ok || !comesAgain(quick) || e.varies(l, call, false) {
		return nil
	}
	success, ok := flow.Run(errflow.Assumption{Call: call, Err: errflow.Error(retry.Errors(retry.OK)), Others: true, Status: 200}, l, nil)
	if !ok {
		return nil
	}
	if len(success) == 0 && !e.reopensLater(call, l) {
		return nil // it never ends: a worker, which keeps up what has succeeded
	}
	if r.reopens = comesAgain(success); r.reopens && (l.Kind() != loops.Other || e.varies(l, call, true)) {
		return nil // over elements, events or numbers, or work on what each round brings
	}
	watch := e.watcher(r)
	bounds, idle := e.boundsOf(l)
	byContext := true // all other ways out are by a context
	waits, unwaited, consulted, deafOnEnd, alien := false, false, false, false, false
	for _, class := range failures.Classes() {
		ends, ok := flow.Run(errflow.Assumption{Call: call, Err: errflow.Error(retry.Errors(class))}, l, watch)
		if !ok {
			return nil
		}
		if !comesAgain(ends) {
			continue
		}
		r.retries |= retry.Errors(class)
		forever := true
		for _, end := range ends {
			if !end.Again && end.Exit != nil && slices.Contains(idle, end.Exit.From) {
				continue
			}
			if !end.Again {
				forever = false
				byContext = byContext && end.Trail&passConsult != 0
				continue
			}
			waits = waits || end.Trail&passWait != 0
			unwaited = unwaited || end.Trail&(passWait|passMaybe) == 0
			consulted = consulted || end.Trail&passConsult != 0
			alien = alien || end.Trail&passAlien != 0 && end.Trail&passWait != 0
			deafOnEnd = deafOnEnd || end.Trail&passDeaf != 0 && (retry.ContextEnd.Has(class) || !takesAnyContext(r.work.instr.(*ssa.Call)))
		}
		if forever {
			r.endless |= retry.Errors(class)
		}
	}
	r.waits, r.tight = waits, unwaited && !waits
	r.deaf = (deafOnEnd || alien) && !consulted
	r.count = e.countOf(r, bounds, byContext)
	r.stops, r.only = e.marksOf(r)
	r.strips = e.stripsMarks(r)
	r.pos = e.loopPos(l, call)
	return r
}

func comesAgain(ends []errflow.End) bool {
	return slices.ContainsFunc(ends, func(e errflow.End) bool { return e.Again })
}

func takesAnyContext(call *ssa.Call) bool {
	return slices.ContainsFunc(call.Call.Args, func(a ssa.Value) bool { return provenance.Carries(a.Type()) })
}

// workOf is what the attempt does: in QueryRowContext(ctx, …).Scan(…) the query
// runs, and Scan brings its error.
func (e *engine) workOf(f *function, attempt *callsite) *callsite {
	on, ok := workedOn(attempt.instr)
	if _, made := on.root.(*ssa.Call); !ok || !made || takesAnyContext(attempt.instr.(*ssa.Call)) {
		return attempt
	}
	i := slices.IndexFunc(f.calls, func(cs *callsite) bool { return ssa.Value(on.root) == callValue(cs) })
	if i < 0 || !takesAnyContext(f.calls[i].instr.(*ssa.Call)) {
		return attempt
	}
	return f.calls[i]
}

// callValue is what a call returns, or nil for go and defer.
func callValue(cs *callsite) ssa.Value {
	if call, ok := cs.instr.(*ssa.Call); ok {
		return call
	}
	return nil
}

// varies reports whether the call is a different one in each round: of an
// element, of something that the loop moves along, or what else changes with
// it but its counter and the last error.
// strict takes what a call in the round returns for such a thing, too.
func (e *engine) varies(l *loops.Loop, call *ssa.Call, strict bool) bool {
	seen := map[ssa.Value]bool{}
	var walk func(v ssa.Value, indexed bool, depth int) bool
	walk = func(v ssa.Value, indexed bool, depth int) bool {
		if seen[v] || depth > 12 || l.Invariant(v) {
			return false
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Next:
			return true
		case *ssa.Alloc: // a struct or a list of arguments that the round makes
			return slices.ContainsFunc(storedParts(v), func(part ssa.Value) bool { return walk(part, indexed, depth+1) })
		case *ssa.Call:
			if strict && !provenance.IsContext(v.Type()) {
				return true
			}
			return slices.ContainsFunc(v.Call.Args, func(a ssa.Value) bool { return walk(a, indexed, depth+1) })
		case *ssa.Phi:
			if v.Block() == l.Head {
				if basic, ok := v.Type().Underlying().(*types.Basic); ok && basic.Info()&types.IsInteger != 0 {
					return indexed
				}
				return !isError(v.Type()) && !provenance.IsContext(v.Type())
			}
			return slices.ContainsFunc(v.Edges, func(edge ssa.Value) bool { return walk(edge, indexed, depth+1) })
		case *ssa.IndexAddr:
			return walk(v.Index, true, depth+1) || walk(v.X, indexed, depth+1)
		case *ssa.Index:
			return walk(v.Index, true, depth+1) || walk(v.X, indexed, depth+1)
		case *ssa.Lookup:
			return walk(v.Index, true, depth+1) || walk(v.X, indexed, depth+1)
		case *ssa.UnOp:
			if a, ok := rootAlloc(v.X); ok && v.Op == token.MUL && stores(a, walk, indexed, depth) {
				return true
			}
			return walk(v.X, indexed, depth+1)
		case ssa.Instruction:
			for _, op := range v.Operands(nil) {
				if *op != nil && walk(*op, indexed, depth+1) {
					return true
				}
			}
		}
		return false
	}
	c := call.Common()
	if walk(c.Value, false, 0) {
		return true
	}
	return slices.ContainsFunc(c.Args, func(a ssa.Value) bool { return walk(a, false, 0) })
}

// storedParts lists what is stored in a local variable, its fields and its
// elements.
func storedParts(a *ssa.Alloc) []ssa.Value {
	var out []ssa.Value
	var visit func(addr ssa.Value, depth int)
	visit = func(addr ssa.Value, depth int) {
		if addr.Referrers() == nil || depth > 3 {
			return
		}
		for _, ref := range *addr.Referrers() {
			switch ref := ref.(type) {
			case *ssa.Store:
				if ref.Addr == addr {
					out = append(out, ref.Val)
				}
			case *ssa.FieldAddr:
				visit(ref, depth+1)
			case *ssa.IndexAddr:
				visit(ref, depth+1)
			}
		}
	}
	visit(a, 0)
	return out
}

// rootAlloc is the local variable that an address is in, if it is one.
func rootAlloc(addr ssa.Value) (*ssa.Alloc, bool) {
	for {
		switch a := addr.(type) {
		case *ssa.Alloc:
			return a, true
		case *ssa.FieldAddr:
			addr = a.X
		default:
			return nil, false
		}
	}
}

// stores reports whether what is stored in the variable as a whole varies.
func stores(a *ssa.Alloc, varies func(ssa.Value, bool, int) bool, indexed bool, depth int) bool {
	return slices.ContainsFunc(*a.Referrers(), func(ref ssa.Instruction) bool {
		st, ok := ref.(*ssa.Store)
		return ok && st.Addr == a && varies(st.Val, indexed, depth+1)
	})
}

// boundsOf lists the tests that end the loop by count, and apart from them the
// blocks of those that are as good as none.
func (e *engine) boundsOf(l *loops.Loop) (bounds []loops.Bound, idle []*ssa.BasicBlock) {
	for _, b := range l.Bounds() {
		n, ok := exactly(b.Add)
		if b.Limit != nil {
			n, ok = e.numberOf(b.Limit, 0)
		}
		if ok && !b.Unknown && n.param == nil && n.least >= asGoodAsEndless {
			idle = append(idle, b.Test)
			continue
		}
		bounds = append(bounds, b)
	}
	return bounds, idle
}

// countOf is how often the loop makes the attempt.
func (e *engine) countOf(r *retryLoop, bounds []loops.Bound, byContext bool) count {
	at := r.attempt.instr.Block()
	var best *count
	open := false
	for _, b := range bounds {
		b = b.Times(at)
		if b.Unknown || !b.Every {
			open = true
			continue
		}
		c := known(retry.Exactly(int(b.Add)))
		if b.Limit != nil {
			n, ok := e.numberOf(b.Limit, 0)
			if !ok {
				open = true
				continue
			}
			c = n.plus(b.Add)
		}
		if best == nil || best.param != nil && c.param == nil || c.param == nil && c.attempts.Worst() < best.attempts.Worst() {
			best = &c
		}
	}
	switch {
	case best != nil:
		return *best
	case !open && (r.endless != 0 || byContext):
		return known(retry.Unbounded())
	}
	return known(retry.Unknown())
}

// marksOf lists the marks, among those that the loop's conditions ask for, on
// which it is left, and those of which it needs one to go round.
func (e *engine) marksOf(r *retryLoop) (stops, only []string) {
	asked := e.marksAskedFor(r.f, r.loop)
	again := func(err errflow.Value) bool {
		ends, ok := e.errors.Run(errflow.Assumption{Call: r.attempt.instr, Err: err}, r.loop, nil)
		return !ok || comesAgain(ends)
	}
	plain := retry.Errors(retry.Plain)
	for _, mark := range asked {
		if again(errflow.Error(plain, mark)) {
			only = append(only, mark)
		} else {
			stops = append(stops, mark)
		}
	}
	if len(only) > 0 && again(errflow.Error(plain).Lacking(asked...)) {
		only = nil
	}
	return stops, only
}

// stripsMarks reports whether what the function returns, when the loop is left
// on a mark, has lost it.
func (e *engine) stripsMarks(r *retryLoop) bool {
	if len(r.stops) == 0 || !returnsError(r.f.ssa.Signature) {
		return false
	}
	last := r.f.ssa.Signature.Results().Len() - 1
	mark := r.stops[0]
	ends, ok := e.errors.Run(errflow.Assumption{Call: r.attempt.instr, Err: errflow.Error(retry.Errors(retry.Plain), mark)}, nil, nil)
	lost := false
	for _, end := range ends {
		if end.Return == nil || len(end.Values) <= last {
			continue
		}
		v := end.Values[last]
		if !v.IsError() || slices.Contains(v.Marks(), mark) {
			return false
		}
		lost = true
	}
	return ok && lost
}

// marksAskedFor lists the types and sentinels that errors.As, errors.Is and
// type assertions in the loop, and in the predicates that it calls, ask for.
func (e *engine) marksAskedFor(f *function, l *loops.Loop) []string {
	var out []string
	e.eachAsked(f, l, func(instr ssa.Instruction) { out = append(out, errflow.Asks(instr)...) })
	slices.Sort(out)
	return slices.Compact(out)
}

// eachAsked visits the instructions of the loop, and of the predicates of the
// package to which it gives errors.
func (e *engine) eachAsked(f *function, l *loops.Loop, see func(ssa.Instruction)) {
	seen := map[*ssa.Function]bool{f.ssa: true}
	var visit func(blocks []*ssa.BasicBlock, depth int)
	visit = func(blocks []*ssa.BasicBlock, depth int) {
		for _, b := range blocks {
			for _, instr := range b.Instrs {
				see(instr)
				if c, ok := instr.(*ssa.Call); ok && depth < 2 {
					if fn := c.Call.StaticCallee(); fn != nil && fn.Pkg == e.pkg && !seen[fn] && slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return isError(p.Type()) }) {
						seen[fn] = true
						visit(fn.Blocks, depth+1)
					}
				}
			}
		}
	}
	visit(l.Blocks, 0)
}

// loopPos is the for statement around the call, or the call if goto loops.
func (e *engine) loopPos(l *loops.Loop, call *ssa.Call) token.Pos {
	best := call.Pos()
	if file := e.fileOf(call.Pos()); file != nil {
		for _, n := range enclosing(file, call.Pos()) {
			switch n := n.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				best = n.Pos()
			case *ast.FuncLit:
				if n.Pos() > l.Head.Parent().Pos() { // a literal inside the function
					best = call.Pos()
				}
			}
		}
	}
	return best
}

// enclosing lists the nodes around a position, the outermost first.
func enclosing(file *ast.File, pos token.Pos) []ast.Node {
	var out []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		out = append(out, n)
		return true
	})
	return out
}

func returnsNothing(sig *types.Signature) bool { return sig != nil && sig.Results().Len() == 0 }
