package link

import (
	"go/token"

	"github.com/ctxprop/ctxprop/internal/ctxflow"
)

// Callers knows from where the functions of a program are called.
type Callers struct {
	p     *program
	at    map[token.Pos]callAt
	above map[*node]bool // whether a context leads there, as far as asked
}

type callAt struct {
	from *node
	call ctxflow.Call
}

// NewCallers joins the calls of the packages.
func NewCallers(pkgs []*Package) *Callers {
	c := &Callers{p: newProgram(pkgs), at: map[token.Pos]callAt{}, above: map[*node]bool{}}
	c.p.connect()
	for _, n := range c.p.order {
		for _, call := range n.Calls {
			c.at[call.Pos] = callAt{n, call}
		}
	}
	return c
}

// At is the function that makes the call at the position, that of its
// parenthesis or of its go or defer statement, and the call. There is none if
// what is called does not run on behalf of who calls it.
func (c *Callers) At(pos token.Pos) (from *ctxflow.Node, call ctxflow.Call, ok bool) {
	at, ok := c.at[pos]
	if !ok {
		return nil, call, false
	}
	return at.from.Node, at.call, true
}

// ContextAbove reports whether a function with a context at hand leads to the
// node, in whatever number of calls that work on behalf of their callers.
func (c *Callers) ContextAbove(key string) bool {
	start := c.p.nodes[key]
	if start == nil {
		return false
	}
	if above, ok := c.above[start]; ok {
		return above
	}
	seen := map[*node]bool{start: true}
	work := []*node{start}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, in := range n.in {
			if in.call.Silent || in.from.Test || seen[in.from] {
				continue
			}
			if in.from.Hand {
				c.above[start] = true
				return true
			}
			seen[in.from] = true
			work = append(work, in.from)
		}
	}
	c.above[start] = false
	return false
}

// Node is the node with the key, or nil.
func (c *Callers) Node(key string) *ctxflow.Node {
	if n := c.p.nodes[key]; n != nil {
		return n.Node
	}
	return nil
}
