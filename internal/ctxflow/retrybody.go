package ctxflow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/loops"
)

// This file finds attempts of which all but the first send an empty body: an
// http.Request's body is read once, and net/http makes it anew for redirects and
// lost connections only, not for a second Do.

// spentBody reports where the loop's request gets a body that the first attempt
// reads and nothing winds back: the call of http.NewRequest.
func (e *engine) spentBody(r *retryLoop) (token.Pos, bool) {
	obj, ok := calledObject(r.work.instr)
	if !ok || obj.FullName() != "(*net/http.Client).Do" {
		return token.NoPos, false
	}
	args := r.work.instr.Common().Args
	req, ok := placeOf(args[len(args)-1]).root.(*ssa.Extract)
	if !ok {
		return token.NoPos, false
	}
	made, ok := req.Tuple.(*ssa.Call)
	if !ok {
		return token.NoPos, false
	}
	name := ""
	if obj, ok := calledObject(made); ok {
		name = obj.FullName()
	}
	if name != "net/http.NewRequest" && name != "net/http.NewRequestWithContext" {
		return token.NoPos, false
	}
	body := made.Call.Args[len(made.Call.Args)-1]
	if mi, ok := body.(*ssa.MakeInterface); ok {
		body = mi.X
	}
	switch {
	case !e.hasContent(body), r.loop.Contains(made.Block()) && !r.loop.Invariant(body):
		return token.NoPos, false
	case e.windsBack(r.loop, body, made), e.setsBody(r.loop, req):
		return token.NoPos, false
	}
	return made.Pos(), true
}

// hasContent reports whether a body is certainly more than none: it is neither
// nil nor http.NoBody, nor a parameter for which the package passes nothing else.
func (e *engine) hasContent(body ssa.Value) bool {
	switch b := body.(type) {
	case *ssa.Const:
		return false
	case *ssa.Phi, *ssa.UnOp: // may be nil on some way; a variable of a package, such as http.NoBody
		return false
	case *ssa.Parameter:
		f := e.bySSA[b.Parent()]
		if f == nil || f.obj == nil || f.obj.Exported() {
			return true
		}
		i := slices.Index(b.Parent().Params, b)
		return slices.ContainsFunc(f.in, func(in *edge) bool {
			if i >= len(in.target.Args) {
				return false
			}
			_, none := in.target.Args[i].(*ssa.Const)
			return !none
		})
	}
	return true
}

// windsBack reports whether the loop does anything else with the body: a Seek, a
// Reset, or a call that may.
func (e *engine) windsBack(l *loops.Loop, body ssa.Value, made *ssa.Call) bool {
	var uses func(v ssa.Value, depth int) bool
	uses = func(v ssa.Value, depth int) bool {
		if v.Referrers() == nil || depth > 3 {
			return true
		}
		for _, ref := range *v.Referrers() {
			switch ref := ref.(type) {
			case *ssa.Call:
				if ref != made && l.Contains(ref.Block()) {
					return true
				}
			case *ssa.MakeInterface:
				if uses(ref, depth+1) {
					return true
				}
			case *ssa.ChangeInterface:
				if uses(ref, depth+1) {
					return true
				}
			case *ssa.TypeAssert, *ssa.MakeClosure, *ssa.Store, *ssa.Phi:
				return true
			}
		}
		return false
	}
	return uses(body, 0)
}

// setsBody reports whether the loop gives the request a body, or hands it to
// somebody who may.
func (e *engine) setsBody(l *loops.Loop, req *ssa.Extract) bool {
	for _, b := range l.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Store:
				if fa, ok := instr.Addr.(*ssa.FieldAddr); ok && placeOf(fa.X).root == ssa.Value(req) && fieldName(fa.X.Type(), fa.Field) == "Body" {
					return true
				}
			case *ssa.Call:
				obj, ok := calledObject(instr)
				if ok && obj.Pkg() != nil && obj.Pkg().Path() == "net/http" {
					continue
				}
				if slices.ContainsFunc(instr.Call.Args, func(a ssa.Value) bool { return isRequest(a.Type()) && placeOf(a).root == ssa.Value(req) }) {
					return true
				}
			}
		}
	}
	return false
}

func isRequest(t types.Type) bool {
	p, ok := t.(*types.Pointer)
	return ok && types.TypeString(p.Elem(), nil) == "net/http.Request"
}
