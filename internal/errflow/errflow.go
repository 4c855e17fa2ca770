// Package errflow follows an error through a function: assuming that a call
// fails in a certain way, it says where control goes, which branches are
// taken, and what the function returns.
//
// It is how retries are understood. A loop repeats a call on an error if,
// assuming that the call fails with it, control comes to the call again; an
// error reaches the next layer as what the function returns under the same
// assumption. Conditions on the error (nil, its status code, errors.Is and
// errors.As, predicates of the package itself) are evaluated; all others may
// go either way, so that what is said of an error is what may happen.
package errflow

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/loops"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// Flow evaluates within one package.
type Flow struct {
	pkg *ssa.Package
	// Mark says what a library function makes of the error it is given: a
	// mark such as "permanent". ok is false if it does not mark errors.
	Mark func(fn *types.Func) (mark string, ok bool)
	// Only is the one value that a variable of the package ever holds; ok is
	// false if there may be another.
	Only func(g *ssa.Global) (val ssa.Value, ok bool)
	memo map[string]Value
}

// New returns a flow for the functions with a body in pkg.
func New(pkg *ssa.Package) *Flow { return &Flow{pkg: pkg, memo: map[string]Value{}} }

// Assumption is what a run takes for granted.
type Assumption struct {
	Call  ssa.CallInstruction // whose error is assumed; nil for a parameter
	Param *ssa.Parameter
	Err   Value
	// Others: all other calls succeed. Else they may do either.
	Others bool
	// Status is the status of all HTTP responses; 0 for any.
	Status int64
}

// Trail is what a run passes on its way, as the observer's bits.
type Trail uint16

// End is one way a run can end.
type End struct {
	Again  bool        // at the assumed call again
	Exit   *loops.Exit // by leaving the loop, if the run is within one
	Return *ssa.Return // by a return, else by a panic
	Values []Value     // what is returned
	Trail  Trail       // of all that was passed
	At     *ssa.BasicBlock
}

// maxStates bounds one run. A function with more is not understood.
const maxStates = 600

// Observer tells what passing an instruction means to a run's user.
type Observer func(instr ssa.Instruction, value func(ssa.Value) Value) Trail

// Run explores from the assumed call, or from the function's entry, to the
// ends. Within a loop it ends where that is left or the call is reached again.
// ok is false if there is too much to explore.
func (f *Flow) Run(a Assumption, within *loops.Loop, observe Observer) (ends []End, ok bool) {
	r := &run{flow: f, a: a, within: within, observe: observe, seen: map[string]bool{}}
	var start *ssa.BasicBlock
	first := 0
	if a.Call != nil {
		start = a.Call.Block()
		first = slices.Index(start.Instrs, ssa.Instruction(a.Call)) + 1
	} else {
		start = a.Param.Parent().Blocks[0]
	}
	r.todo = []state{{block: start, from: first, env: map[ssa.Value]Value{}}}
	for len(r.todo) > 0 {
		s := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		if r.states++; r.states > maxStates {
			return nil, false
		}
		r.step(s)
	}
	return r.ends, true
}

// run is one exploration.
type run struct {
	flow    *Flow
	a       Assumption
	within  *loops.Loop
	observe Observer
	seen    map[string]bool
	todo    []state
	ends    []End
	states  int
	depth   int // of calls into predicates
	env     map[ssa.Value]Value
}

// state is a place with what is known there of merged and stored values.
type state struct {
	block *ssa.BasicBlock
	from  int // index of the first instruction
	env   map[ssa.Value]Value
	trail Trail
}

func (s state) key() string {
	parts := make([]string, 0, len(s.env))
	for v, val := range s.env {
		parts = append(parts, fmt.Sprintf("%p=%s", v, val))
	}
	slices.Sort(parts)
	return fmt.Sprintf("%d.%d.%d.%s", s.block.Index, s.from, s.trail, strings.Join(parts, ";"))
}

// step runs through a block and leaves what follows in todo.
func (r *run) step(s state) {
	key := s.key()
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	r.env = s.env
	for _, instr := range s.block.Instrs[s.from:] {
		if r.a.Call != nil && instr == ssa.Instruction(r.a.Call) {
			if r.within != nil {
				r.ends = append(r.ends, End{Again: true, Trail: s.trail, At: s.block})
				return
			}
			// Outside loops the call is passed as often as control comes to
			// it, and fails in the same way each time.
		}
		if r.observe != nil {
			s.trail |= r.observe(instr, r.Value)
		}
		switch instr := instr.(type) {
		case *ssa.Store:
			if _, local := instr.Addr.(*ssa.Alloc); local && tracked(instr.Val.Type()) {
				r.env = with(r.env, instr.Addr, r.Value(instr.Val))
			}
		case *ssa.Return:
			end := End{Return: instr, Trail: s.trail, At: s.block}
			for _, res := range instr.Results {
				end.Values = append(end.Values, r.Value(res))
			}
			r.ends = append(r.ends, end)
			return
		case *ssa.Call:
			if saysItIsOver(instr.Common()) {
				r.ends = append(r.ends, End{Trail: s.trail, At: s.block})
				return
			}
		case *ssa.Panic:
			r.ends = append(r.ends, End{Trail: s.trail, At: s.block})
			return
		case *ssa.If:
			cond := r.Value(instr.Cond)
			if cond.may(true) {
				r.follow(s, s.block.Succs[0], r.narrow(instr.Cond, true))
			}
			if cond.may(false) {
				r.follow(s, s.block.Succs[1], r.narrow(instr.Cond, false))
			}
			return
		case *ssa.Jump:
			r.follow(s, s.block.Succs[0], r.env)
			return
		}
	}
	// A block that ends in a call that does not return has no successor.
	for _, b := range s.block.Succs {
		r.follow(s, b, r.env)
	}
}

// saysItIsOver reports whether a call is of a logger's Fatalf, Panicln or the
// like. Behind an interface it cannot be known to end the process, and nobody
// writes it for anything else.
func saysItIsOver(c *ssa.CallCommon) bool {
	name := ""
	if c.IsInvoke() {
		name = c.Method.Name()
	} else if fn := c.StaticCallee(); fn != nil {
		name = fn.Name()
	}
	return (strings.HasPrefix(name, "Fatal") || strings.HasPrefix(name, "Panic")) && c.Signature().Results().Len() == 0
}

// follow goes on at a successor, unless the edge leaves the loop.
func (r *run) follow(s state, to *ssa.BasicBlock, env map[ssa.Value]Value) {
	if r.within != nil && !r.within.Contains(to) {
		r.ends = append(r.ends, End{Exit: &loops.Exit{From: s.block, To: to}, Trail: s.trail, At: s.block})
		return
	}
	next := env
	pred := slices.Index(to.Preds, s.block)
	r.env = env
	for _, instr := range to.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		if tracked(phi.Type()) {
			next = with(next, phi, r.Value(phi.Edges[pred]))
		}
	}
	r.todo = append(r.todo, state{block: to, env: next, trail: s.trail})
}

// with is a copy of the environment with one more entry.
func with(env map[ssa.Value]Value, v ssa.Value, val Value) map[ssa.Value]Value {
	if old, ok := env[v]; ok && old == val {
		return env
	}
	out := make(map[ssa.Value]Value, len(env)+1)
	for k, w := range env {
		out[k] = w
	}
	out[v] = val
	return out
}

// narrow is the environment after a branch on a condition that could have
// gone either way: an error that was compared with nil is nil or not.
func (r *run) narrow(cond ssa.Value, taken bool) map[ssa.Value]Value {
	cmp, ok := cond.(*ssa.BinOp)
	if !ok {
		return r.env
	}
	v := cmp.X
	if isNil(v) {
		v = cmp.Y
	} else if !isNil(cmp.Y) {
		return r.env
	}
	val := r.Value(v)
	if val.kind != anError {
		return r.env
	}
	ok0 := retry.Errors(retry.OK)
	if (cmp.Op.String() == "==") == taken {
		val.Errs &= ok0
	} else {
		val.Errs = val.Errs.Minus(ok0)
	}
	return with(r.env, v, val)
}

// tracked reports whether values of the type say something of errors.
func tracked(t types.Type) bool {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Bool {
		return true
	}
	return isError(t) || isNamed(t, "google.golang.org/grpc/codes", "Code") || isStatus(t)
}

func isError(t types.Type) bool {
	return types.Identical(types.Unalias(t), types.Universe.Lookup("error").Type())
}

func isNamed(t types.Type, pkg, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg
}

func isStatus(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && (isNamed(p.Elem(), "google.golang.org/grpc/status", "Status") || isNamed(p.Elem(), "google.golang.org/grpc/internal/status", "Status"))
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// ErrorOf is the error that a call returns, by its place among the results:
// the last one. ok is false if it returns none.
func ErrorOf(c ssa.CallInstruction) (index int, ok bool) {
	res := c.Common().Signature().Results()
	if res.Len() == 0 || !isError(res.At(res.Len()-1).Type()) {
		return 0, false
	}
	return res.Len() - 1, true
}

// Asks lists the marks that an instruction asks an error for: the type of
// errors.As or of an assertion, the sentinel of errors.Is or of a comparison.
func Asks(instr ssa.Instruction) []string {
	switch instr := instr.(type) {
	case *ssa.TypeAssert:
		if isError(instr.X.Type()) && !types.IsInterface(instr.AssertedType) {
			return []string{TypeMark(instr.AssertedType)}
		}
	case *ssa.BinOp:
		for _, v := range []ssa.Value{instr.X, instr.Y} {
			if mark, ok := sentinelMark(v); ok {
				return []string{mark}
			}
		}
	case *ssa.Call:
		fn := instr.Call.StaticCallee()
		if fn == nil || fn.Pkg == nil || len(instr.Call.Args) != 2 || fn.Name() != "Is" && fn.Name() != "As" {
			return nil
		}
		target := instr.Call.Args[1]
		if mark, ok := sentinelMark(target); ok {
			return []string{mark}
		}
		if mi, ok := target.(*ssa.MakeInterface); ok {
			target = mi.X
		}
		if p, ok := types.Unalias(target.Type()).(*types.Pointer); ok && !types.IsInterface(p.Elem()) {
			return []string{TypeMark(p.Elem())}
		}
	}
	return nil
}

// sentinelMark is the mark of an error held by a package variable.
func sentinelMark(v ssa.Value) (string, bool) {
	u, ok := v.(*ssa.UnOp)
	if !ok || !isError(u.Type()) {
		return "", false
	}
	g, ok := u.X.(*ssa.Global)
	if !ok {
		return "", false
	}
	return sentinel(g).marks, true
}
