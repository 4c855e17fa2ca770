package ctxflow

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
)

// Graph is what a package contributes to the graph of the program, for
// internal/link. It holds no SSA.
type Graph struct {
	Path  string // of the package
	Nodes []*Node
	// Made lists the concrete types of this package that it turns into
	// interface values: only those can be behind an interface.
	Made []types.Type
	// Losses are the open losses whose home is in this package.
	Losses []*Verdict
	// Latent are verdicts that hold only if a request reaches their home.
	Latent []*Verdict
	// StubCalls and Served are for JoinServices.
	StubCalls []StubCall
	Served    []Served
	// Retried are for Routes.
	Retried []Retried
	// Deaf are the places that hand contexts to blocking work which may not end
	// with their requests. They are a finding if the program makes an engine of
	// the type's framework and leaves its switch alone: Engines are made in this
	// package, and Switched are the types whose switch it touches.
	Deaf     []*Verdict
	Engines  []*Engine
	Switched []catalog.TypeName
}

// Node is one function with a body.
type Node struct {
	Key      string // of the function; closures add their number
	Name     string
	Root     bool       // starts a request
	Kind     string     // of root, such as "gRPC method"
	Hand     bool       // has a context at hand
	HandVar  *types.Var // that is or provides it; nil if none has a name
	Asks     string     // the method by which HandVar is asked for it, or ""
	Apart    bool       // a closure that does not run as part of the function it is in
	Unheeded bool       // which obliges to nothing unless a request reaches it
	Twin     bool       // has a sibling that takes a context
	Test     bool
	Calls    []Call
	Position token.Position
}

// Call is an edge that is the caller's own business.
type Call struct {
	To    string      // key of a function, or ""
	Iface *types.Func // the interface method, if that is what is called
	Pos   token.Pos
	// Silent: a rule of silence stops losses here. SilentLapse: one stops
	// work that no context can end.
	Silent, SilentLapse bool
	// AfterWrite: the call leads to a loss whose work changes state, and another
	// change of state comes before it in the caller.
	AfterWrite bool
}

// nodeKey tells the function f from all others of the program. Initializers
// share their names, and nobody calls them by name.
func (f *function) nodeKey() string {
	key := f.key()
	if obj := f.named.obj; obj == nil || obj.Name() == "_" || obj.Name() == "init" && obj.Signature().Recv() == nil {
		key = fmt.Sprintf("%s#%d", key, f.named.index)
	}
	if f.parent == nil {
		return key
	}
	return fmt.Sprintf("%s$%d", key, f.index-f.named.index)
}

func (e *engine) graph() *Graph {
	g := &Graph{Path: e.pass.Pkg.Path()}
	for _, f := range e.funcs {
		hand := e.atHand(f)
		n := &Node{
			Key: f.nodeKey(), Name: f.name(), Hand: len(hand) > 0,
			Twin: e.isTwin(f), Test: e.inTest(f.pos()), Position: e.pass.Fset.Position(f.pos()),
		}
		if f.root != nil && f.root.Grade == finding.GradeRequest {
			n.Root, n.Kind = true, f.root.Name
		}
		n.Apart = !e.runsForNamed(f)
		if n.Hand {
			if c := bestCarrier(hand); !c.blank() {
				n.HandVar, n.Asks = c.v, c.method
			}
			_, n.Unheeded = e.unheeded(finding.GradeContract, hand, true)
			n.Unheeded = n.Unheeded || e.onlyApart(f, hand)
		}
		for _, out := range f.out {
			if c, ok := e.callOf(out); ok {
				n.Calls = append(n.Calls, c)
			}
		}
		g.Nodes = append(g.Nodes, n)
	}
	g.Made = e.madeTypes()
	g.Losses, g.Latent, g.Deaf = e.openLosses, e.latent, e.deaf
	g.StubCalls, g.Served, g.Retried = e.stubCalls(), e.served(), e.retried()
	e.frameworks(g)
	return g
}

func (e *engine) callOf(out *edge) (Call, bool) {
	c := Call{Pos: out.site.instr.Pos()}
	switch {
	case !e.onBehalf(out.mode):
		return c, false
	case out.to != nil:
		c.To = out.to.nodeKey()
	case out.target.Obj == nil || out.target.Obj.Pkg() == nil || e.catalog.HasPackage(out.target.Obj.Pkg().Path()):
		return c, false
	case out.target.Invoked:
		c.Iface = out.target.Obj
	default:
		c.To = out.target.Obj.FullName()
	}
	_, c.Silent = e.silentOver(out, &OpenLoss{Code: finding.SeveredCallee})
	_, c.SilentLapse = e.silentOver(out, &OpenLoss{})
	c.AfterWrite = e.leadsToWrite(out) && e.writesBefore(out.from, c.Pos)
	return c, true
}

// leadsToWrite reports whether what an edge runs has a severed callee that
// changes state.
func (e *engine) leadsToWrite(out *edge) bool {
	severed := func(o *OpenLoss) bool { return o.Code == finding.SeveredCallee && o.Sink.Write }
	if out.to != nil {
		return slices.ContainsFunc(out.to.open, func(o *openAt) bool { return severed(&o.fact) })
	}
	fact := e.importedFact(out.target.Obj)
	return fact != nil && slices.ContainsFunc(fact.Open, func(o OpenLoss) bool { return severed(&o) })
}

// lightGraph is the graph of a package without SSA: no calls that matter, but
// perhaps the place where implementations are made and handed out.
func (e *engine) lightGraph() *Graph {
	g := &Graph{Path: e.pass.Pkg.Path()}
	seen := map[string]bool{}
	for _, tv := range e.pass.TypesInfo.Types {
		if !tv.IsValue() {
			continue
		}
		n := callee.Named(tv.Type)
		if n == nil || n.NumMethods() == 0 || types.IsInterface(n) || !e.mayBeOwn(n.Obj().Pkg()) {
			continue
		}
		if name := types.TypeString(n, nil); !seen[name] {
			seen[name] = true
			g.Made = append(g.Made, types.NewPointer(n))
		}
	}
	slices.SortFunc(g.Made, func(a, b types.Type) int { return strings.Compare(a.String(), b.String()) })
	e.frameworks(g)
	return g
}

// madeTypes lists the package's own named types that become interface values.
func (e *engine) madeTypes() []types.Type {
	var out []types.Type
	seen := map[string]bool{} // by text, for value, pointer and instances are types of their own
	for _, f := range e.funcs {
		for _, b := range f.ssa.Blocks {
			for _, instr := range b.Instrs {
				mi, ok := instr.(*ssa.MakeInterface)
				if !ok {
					continue
				}
				n := callee.Named(mi.X.Type())
				if n == nil || n.Obj().Pkg() == nil || n.NumMethods() == 0 {
					continue
				}
				if name := types.TypeString(mi.X.Type(), nil); !seen[name] {
					seen[name] = true
					out = append(out, mi.X.Type())
				}
			}
		}
	}
	return out
}
