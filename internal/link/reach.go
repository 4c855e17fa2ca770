package link

import "github.com/ctxprop/ctxprop/internal/ctxflow"

// Reached returns the keys of the declared functions that run when one of the
// chosen functions does, for all that is known of the program: those functions,
// and what they call. A closure counts as the function that it is in.
func Reached(pkgs []*Package, chosen func(*ctxflow.Node) bool) map[string]bool {
	p := newProgram(pkgs)
	seen := map[*node]bool{}
	var work []*node
	for _, n := range p.order {
		if chosen(n.Node) {
			seen[n] = true
			work = append(work, n)
		}
	}
	keys := map[string]bool{}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		keys[named(n.Key)] = true
		for _, c := range n.Calls {
			for _, key := range p.callees(c) {
				if to := p.nodes[key]; to != nil && !seen[to] {
					seen[to] = true
					work = append(work, to)
				}
			}
		}
	}
	return keys
}
