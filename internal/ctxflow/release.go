package ctxflow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
)

// releases: release-shaped work, of which no result but an error is used, in
// a defer or on a failing path. A rollback or an unlock on the context that
// has just ended would be refused.
func (e *engine) releases(p *passage) bool {
	if usesResult(p.site.instr) {
		return false
	}
	if _, ok := p.site.instr.(*ssa.Defer); ok || p.mode == runsDeferred || e.deferred(p.in) || givesBack(p.in.ssa, p.site) {
		return true
	}
	for f, b := p.in, p.site.instr.Block(); f != nil; {
		switch failing(b) {
		case failed:
			return !startsWork(p.site)
		case maybeFailed:
			return isRelease(p.site)
		}
		mc := madeAt(f)
		if mc == nil {
			return false
		}
		f, b = f.parent, mc.(ssa.Instruction).Block()
	}
	return false
}

// deferred reports whether f runs only in defers, as far as the package shows:
// a closure in those of the functions around it, a function in those of all
// its callers. An exported function has callers that the package does not
// show, and functions that call each other prove nothing of each other.
func (e *engine) deferred(f *function) bool {
	if e.inDefers == nil {
		e.inDefers = e.findDeferred()
	}
	return e.inDefers[f]
}

func (e *engine) findDeferred() map[*function]bool {
	var entries, started []*function
	for _, f := range e.funcs {
		if len(f.in) == 0 || f.obj != nil && f.obj.Exported() {
			entries = append(entries, f)
		}
		for _, in := range f.in {
			if in.mode == runsDeferred {
				started = append(started, f)
			}
		}
	}
	otherwise := runsBelow(entries)
	found := runsBelow(started)
	for f := range otherwise {
		delete(found, f)
	}
	return found
}

// runsBelow lists the functions and what runs below them outside of defers.
func runsBelow(work []*function) map[*function]bool {
	seen := map[*function]bool{}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[f] {
			continue
		}
		seen[f] = true
		for _, g := range f.out {
			if g.to != nil && g.mode != runsDeferred {
				work = append(work, g.to)
			}
		}
	}
	return seen
}

// givesBack reports whether a closure that takes nothing and returns at most
// an error does the work on something and gives the same thing back, by a
// method of it or by the function that came with it: the settings of a
// connection are put back before the pool has it again. Whoever calls such a
// closure is done with the thing, however that went.
func givesBack(closure *ssa.Function, site *callsite) bool {
	sig := closure.Signature
	if closure.Parent() == nil || sig.Params().Len() > 0 || sig.Results().Len() > 1 || sig.Results().Len() == 1 && !isError(sig.Results().At(0).Type()) {
		return false
	}
	thing, ok := workedOn(site.instr)
	if !ok || thing.root.Parent() == closure {
		return false
	}
	for _, b := range closure.Blocks {
		for _, instr := range b.Instrs {
			c, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if obj, ok := calledObject(c); ok && beginsWith(obj.Name(), releaseVerbs) {
				if on, ok := workedOn(c); ok && on == thing {
					return true
				}
			}
			if c.Common().Method == nil && len(c.Common().Args) == 0 && cameWith(placeOf(c.Common().Value), thing) {
				return true
			}
		}
	}
	return false
}

// workedOn is what a call's method is called on.
func workedOn(c ssa.CallInstruction) (place, bool) {
	common := c.Common()
	switch fn := common.StaticCallee(); {
	case common.IsInvoke():
		return placeOf(common.Value), true
	case fn != nil && fn.Signature.Recv() != nil && len(common.Args) > 0:
		return placeOf(common.Args[0]), true
	}
	return place{}, false
}

// cameWith reports whether two values are results of the same call.
func cameWith(a, b place) bool {
	x, ok := a.root.(*ssa.Extract)
	y, ok2 := b.root.(*ssa.Extract)
	return ok && ok2 && x.Tuple == y.Tuple
}

// usesResult reports whether a result other than an error is used. To ask a
// result for its error, as one does with go-redis, is no use.
func usesResult(instr ssa.CallInstruction) bool {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return false
	}
	if _, tuple := call.Type().(*types.Tuple); !tuple {
		return !isError(call.Type()) && !onlyAskedForError(call)
	}
	for _, ref := range *call.Referrers() {
		if ex, ok := ref.(*ssa.Extract); ok && !isError(ex.Type()) && !onlyAskedForError(ex) {
			return true
		}
	}
	return false
}

func onlyAskedForError(v ssa.Value) bool {
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Call:
			if usesResult(ref) || ref.Call.Signature().Results().Len() == 0 || ref.Call.Signature().Params().Len() > 0 {
				return false // what it is given may be filled, as by Scan
			}
		case *ssa.FieldAddr: // on the way to a method of an embedded type
			if !onlyAskedForError(ref) {
				return false
			}
		case *ssa.UnOp:
			if !onlyAskedForError(ref) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// failure says what the way to a block has found of an error.
type failure uint8

const (
	notFailed   failure = iota
	maybeFailed         // an error was found to be of some kind
	failed              // an error was found not to be nil
)

// failing looks at the branches that control must have taken to the block.
func failing(b *ssa.BasicBlock) failure {
	worst := notFailed
	for ; b != nil; b = b.Idom() {
		if len(b.Preds) != 1 {
			continue
		}
		pred := b.Preds[0]
		if branch, ok := pred.Instrs[len(pred.Instrs)-1].(*ssa.If); ok && pred.Succs[0] != pred.Succs[1] {
			worst = max(worst, saysFailed(branch.Cond, pred.Succs[0] == b))
		}
	}
	return worst
}

// saysFailed is what it means that cond has the value.
func saysFailed(cond ssa.Value, value bool) failure {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return saysFailed(c.X, !value)
		}
	case *ssa.Call: // errors.Is(err, …), os.IsTimeout(err), or a write that says whether it worked
		if value && takesError(&c.Call) || !value && takesContext(c.Call.Signature()) {
			return maybeFailed
		}
	case *ssa.Extract: // s, ok := status.FromError(err); ok
		if value && readsError(c, 0) {
			return maybeFailed
		}
	case *ssa.BinOp:
		equal := c.Op == token.EQL && value || c.Op == token.NEQ && !value
		switch {
		case isError(c.X.Type()) && isNil(c.Y):
			if !equal {
				return failed
			}
		case isError(c.X.Type()):
			if equal {
				return maybeFailed
			}
		default: // status.Code(err) == codes.Aborted
			if equal && readsError(c.X, 0) {
				return maybeFailed
			}
		}
	}
	return notFailed
}

// readsError reports whether v is what a call has read from an error, or what
// a method of that says: s.Code() of a status.
func readsError(v ssa.Value, depth int) bool {
	if depth > 4 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Extract:
		return readsError(v.Tuple, depth+1)
	case *ssa.Call:
		return takesError(&v.Call) || len(v.Call.Args) == 1 && readsError(v.Call.Args[0], depth+1)
	}
	return false
}

func takesError(c *ssa.CallCommon) bool {
	return len(c.Args) > 0 && isError(c.Args[0].Type())
}

// isRelease reports whether a call gives back or undoes something, by the
// verb that its name begins with.
func isRelease(site *callsite) bool { return calls(site, releaseVerbs) }

// startsWork reports whether a call goes on with the work, as in find or
// create, by its verb.
func startsWork(site *callsite) bool { return calls(site, workVerbs) }

func calls(site *callsite, verbs []string) bool {
	return slices.ContainsFunc(site.targets, func(t callee.Target) bool { return beginsWith(t.Name(), verbs) })
}

func beginsWith(name string, verbs []string) bool {
	name = name[strings.LastIndexByte(name, '.')+1:]
	return slices.ContainsFunc(verbs, func(verb string) bool { return hasVerb(name, verb) })
}

var workVerbs = []string{"Add", "Create", "Ensure", "Fetch", "Find", "Get", "Insert", "List", "Load", "Lookup", "Query", "Upsert"}

var releaseVerbs = []string{
	"Abandon", "Abort", "Cancel", "Clean", "Cleanup", "Close", "Compensate", "Delete", "Discard", "Fail", "Free", "Mark",
	"Nack", "Release", "Remove", "Revert", "Revoke", "Rollback", "Stop", "Terminate", "Undo", "Unlock", "Unregister",
}
