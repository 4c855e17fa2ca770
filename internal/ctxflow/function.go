package ctxflow

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/provenance"
	"github.com/ctxprop/ctxprop/internal/request"
)

// maxBlocks is the size in basic blocks above which a function is left
// unknown: such functions are generated tables and state machines.
const maxBlocks = 4000

// function is what the engine knows of one function with a body in the package.
type function struct {
	ssa      *ssa.Function
	obj      *types.Func // nil for closures and the package initializer
	parent   *function   // the function that a closure is in
	named    *function   // the outermost function: itself, unless it is a closure
	index    int         // in source order
	carriers []carrier   // parameters that are or provide a context
	root     *request.Root
	calls    []*callsite
	out, in  []*edge

	// Summary.
	callsParam map[int]mode
	blocks     map[paramKey]Sink
	results    map[int][]provenance.ResultOrigin
	open       []*openAt
	paths      []*retryPath // by what it retries, and what it calls at all
	dials      *[]*dialled  // lazily, by dialsOf

	handVisited bool
	hand        []carrier
}

// carrier is a parameter that is or provides a context.
type carrier struct {
	fn    *function
	index int // among the SSA parameters
	v     *types.Var
	// method is what it is asked for its context: Context, or the chain of a
	// framework's, Request.Context. It is empty if it is the context itself.
	method string
}

func (c carrier) blank() bool { return c.v.Name() == "" || c.v.Name() == "_" }

func (c carrier) isContext() bool { return c.method == "" }

// paramKey names a parameter of a function or of one that encloses it.
type paramKey struct {
	fn    *ssa.Function
	index int
}

// callsite is one call instruction with the functions that it may run.
type callsite struct {
	instr   ssa.CallInstruction
	targets []callee.Target
}

// name is how messages call the function: closures go by the function they
// are in.
func (f *function) name() string {
	if f.named.obj == nil {
		return f.variable()
	}
	return callee.ShortName(f.named.obj)
}

// variable names the package variable that a function outside of all declared
// functions is the value of, or whose value it helps to make.
func (f *function) variable() string {
	for f.parent != nil && f.parent.parent != nil {
		f = f.parent
	}
	for _, b := range f.named.ssa.Blocks {
		for _, instr := range b.Instrs {
			if st, ok := instr.(*ssa.Store); ok && st.Val == ssa.Value(f.ssa) {
				if g, ok := st.Addr.(*ssa.Global); ok {
					return g.Pkg.Pkg.Name() + "." + g.Name()
				}
			}
		}
	}
	return "a package variable's initializer"
}

// key is the function's part of an identity.
func (f *function) key() string {
	if f.named.obj == nil {
		return f.ssa.Pkg.Pkg.Path() + ".init"
	}
	return f.named.obj.FullName()
}

// addFunctions makes a function for everything with a body.
func (e *engine) addFunctions() {
	e.bySSA = map[*ssa.Function]*function{}
	for _, fn := range sourceFuncs(e.pkg, e.pass.Files, e.pass.TypesInfo) {
		f := &function{ssa: fn, index: len(e.funcs), blocks: map[paramKey]Sink{}, results: map[int][]provenance.ResultOrigin{}, callsParam: map[int]mode{}}
		f.obj, _ = fn.Object().(*types.Func)
		f.named = f
		if p := e.bySSA[fn.Parent()]; fn.Parent() != nil && p != nil {
			f.parent, f.named = p, p.named
		}
		e.bySSA[fn] = f
		e.funcs = append(e.funcs, f)
		if len(fn.Blocks) > maxBlocks {
			e.unknown = append(e.unknown, f.key())
			continue
		}
		e.addCarriers(f)
		if root, ok := e.roots.Of(f.obj, fn.Signature); ok && fn.Synthetic == "" {
			f.root = &root
		}
		e.addCalls(f)
	}
}

func (e *engine) addCarriers(f *function) {
	first := 0
	if f.ssa.Signature.Recv() != nil {
		first = 1
	}
	for i, p := range f.ssa.Params[first:] {
		v, ok := p.Object().(*types.Var)
		if !ok {
			continue
		}
		if method, ok := e.asksFor(p.Type()); ok {
			f.carriers = append(f.carriers, carrier{fn: f, index: i + first, v: v, method: method})
		}
	}
}

func (e *engine) addCalls(f *function) {
	for _, b := range f.ssa.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(ssa.CallInstruction); ok {
				if ts := e.calls.Targets(c.Common()); len(ts) > 0 {
					f.calls = append(f.calls, &callsite{instr: c, targets: ts})
				}
			}
		}
	}
}

// atHand lists the contexts that f could use: its own parameters, else those
// of the functions around it on whose behalf it runs.
func (e *engine) atHand(f *function) []carrier {
	if f.handVisited {
		return f.hand
	}
	f.handVisited = true
	if len(f.carriers) > 0 {
		f.hand = f.carriers
		return f.hand
	}
	for _, in := range f.in {
		if e.onBehalf(in.mode) && f.inside(in.from) {
			if got := e.atHand(in.from); len(got) > 0 {
				f.hand = got
				break
			}
		}
	}
	return f.hand
}

// inside reports whether from is a function around the closure f.
func (f *function) inside(from *function) bool {
	for p := f.parent; p != nil; p = p.parent {
		if p == from {
			return true
		}
	}
	return false
}

// pos is where the function is declared.
func (f *function) pos() token.Pos { return f.ssa.Pos() }

// inTest and inGenerated tell the files in which nothing is reported.
func (e *engine) inTest(pos token.Pos) bool {
	name := e.pass.Fset.Position(pos).Filename
	return len(name) > 8 && name[len(name)-8:] == "_test.go"
}

func (e *engine) inGenerated(pos token.Pos) bool {
	f := e.fileOf(pos)
	return f != nil && ast.IsGenerated(f)
}

func (e *engine) fileOf(pos token.Pos) *ast.File {
	for _, f := range e.pass.Files {
		if f.FileStart <= pos && pos < f.FileEnd {
			return f
		}
	}
	return nil
}

// gradeAt is on whose behalf f runs: R if a request root reaches it, else C
// if a context is at hand.
func (e *engine) gradeAt(f *function) finding.Grade {
	if e.reached[f] {
		return finding.GradeRequest
	}
	if len(e.atHand(f)) > 0 {
		return finding.GradeContract
	}
	return finding.GradeNone
}
