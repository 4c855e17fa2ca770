// Package link joins the results of a program's packages. A package's own pass
// sees what it imports and not who imports it, so it cannot know which
// requests reach it, nor what is behind an interface; here everything is at
// hand.
//
// Losses found by a pass keep their identity. What changes is the grade, where
// a request turns out to reach the code, the place of severed callees, which
// are reported at their home and once, and the callers that are listed. New
// are losses that only an interface hides from their callers.
package link

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/ctxflow"
	"github.com/ctxprop/ctxprop/internal/finding"
)

// Package is one package of the program.
type Package struct {
	Flow  *ctxflow.Result
	Shown bool // its findings, and those it causes elsewhere, are to be shown
}

// maxChain bounds the way from a home up to the function that closes its loss.
const maxChain = 8

// program is the joined graph.
type program struct {
	nodes    map[string]*node
	order    []*node
	made     []types.Type
	impls    map[*types.Func][]string
	own      map[string]bool           // paths of the packages
	switched map[catalog.TypeName]bool // the deaf context types whose switch is touched somewhere
}

type node struct {
	*ctxflow.Node
	pkg     *Package
	in      []incoming
	reached bool
	entries []string // names of the roots that reach it
}

// incoming is a call of the node, seen from it.
type incoming struct {
	from *node
	call ctxflow.Call
}

// Join returns the verdicts of the program. Those of the packages' passes stay
// as they are: another revision of the program may share a package.
func Join(pkgs []*Package) []*ctxflow.Verdict {
	pkgs = withOwnVerdicts(pkgs)
	p := newProgram(pkgs)
	p.connect()
	p.reach()
	out, seen := p.services(pkgs)
	for _, pkg := range pkgs {
		for _, v := range pkg.Flow.Verdicts {
			if v.Code == finding.NestedRetry && seen[v.Pos] {
				continue // part of a nest that crosses services
			}
			if v.Open.Home != "" {
				continue // found again, with all callers, from its home
			}
			if v.Uses != nil {
				continue // found again, with all uses, from the engine
			}
			p.grade(v)
			if pkg.Shown {
				out = append(out, v)
			}
		}
	}
	out = append(out, p.judgeEngines(pkgs)...)
	for _, pkg := range pkgs {
		if pkg.Flow.Graph == nil {
			continue
		}
		for _, v := range pkg.Flow.Graph.Latent {
			if p.raise(v, v.Node) && pkg.Shown {
				out = append(out, v)
			}
		}
		for _, v := range pkg.Flow.Graph.Losses {
			if p.close(v, pkg) {
				out = append(out, v)
			}
		}
	}
	return out
}

// withOwnVerdicts copies what Join changes.
func withOwnVerdicts(pkgs []*Package) []*Package {
	var out []*Package
	for _, pkg := range pkgs {
		flow := *pkg.Flow
		flow.Verdicts = copies(flow.Verdicts)
		if flow.Graph != nil {
			g := *flow.Graph
			g.Losses, g.Latent, g.Deaf = copies(g.Losses), copies(g.Latent), copies(g.Deaf)
			flow.Graph = &g
		}
		out = append(out, &Package{Flow: &flow, Shown: pkg.Shown})
	}
	return out
}

func copies(vs []*ctxflow.Verdict) []*ctxflow.Verdict {
	var out []*ctxflow.Verdict
	for _, v := range vs {
		c := *v
		c.Entries, c.Closers = slices.Clone(v.Entries), slices.Clone(v.Closers)
		out = append(out, &c)
	}
	return out
}

// judgeEngines finds the engines that make deaf contexts, which some package
// hands on, and whose switch no package touches: one finding for each type.
func (p *program) judgeEngines(pkgs []*Package) []*ctxflow.Verdict {
	type engine struct {
		at  *ctxflow.Engine
		pkg *Package
	}
	uses := map[catalog.TypeName][]*ctxflow.Verdict{}
	var engines []engine
	for _, pkg := range pkgs {
		if pkg.Flow.Graph == nil {
			continue
		}
		for _, u := range pkg.Flow.Graph.Deaf {
			p.grade(u)
			uses[u.Deaf.TypeName] = append(uses[u.Deaf.TypeName], u)
		}
		for _, at := range pkg.Flow.Graph.Engines {
			engines = append(engines, engine{at, pkg})
		}
	}
	slices.SortStableFunc(engines, func(a, b engine) int { return strings.Compare(a.at.Home, b.at.Home) })
	var out []*ctxflow.Verdict
	for _, made := range engines {
		typ := made.at.Deaf.TypeName
		if len(uses[typ]) == 0 || p.switched[typ] {
			continue
		}
		if d := made.pkg.Flow.Directives; d != nil && d.Allowed(made.at.Pos, finding.WrongContext) {
			continue
		}
		slices.SortStableFunc(uses[typ], func(a, b *ctxflow.Verdict) int { return strings.Compare(a.Home, b.Home) })
		if made.pkg.Shown {
			out = append(out, ctxflow.DeafEngine(made.at, uses[typ]))
		}
		delete(uses, typ)
	}
	return out
}

func newProgram(pkgs []*Package) *program {
	p := &program{nodes: map[string]*node{}, impls: map[*types.Func][]string{}, own: map[string]bool{}, switched: map[catalog.TypeName]bool{}}
	for _, pkg := range pkgs {
		p.add(pkg)
	}
	return p
}

// services finds the nests of retries that cross services. seen has the places
// at which they are reported.
func (p *program) services(pkgs []*Package) (out []*ctxflow.Verdict, seen map[token.Pos]bool) {
	seen = map[token.Pos]bool{}
	var served []ctxflow.Served
	for _, pkg := range pkgs {
		if pkg.Flow.Graph != nil {
			served = append(served, pkg.Flow.Graph.Served...)
		}
	}
	for _, pkg := range pkgs {
		if pkg.Flow.Graph == nil || !pkg.Shown {
			continue
		}
		for _, v := range ctxflow.JoinServices(pkg.Flow.Graph.StubCalls, served, pkg.Flow.Threshold) {
			p.raise(v, v.Node)
			if v.Grade != finding.GradeNone && !seen[v.Pos] {
				seen[v.Pos] = true
				out = append(out, v)
			}
		}
	}
	return out, seen
}

func (p *program) add(pkg *Package) {
	g := pkg.Flow.Graph
	if g == nil {
		return
	}
	for _, n := range g.Nodes {
		if p.nodes[n.Key] == nil {
			p.nodes[n.Key] = &node{Node: n, pkg: pkg}
			p.order = append(p.order, p.nodes[n.Key])
		}
	}
	p.made = append(p.made, g.Made...)
	p.own[g.Path] = true
	for _, t := range g.Switched {
		p.switched[t] = true
	}
}

// connect turns the calls around.
func (p *program) connect() {
	for _, from := range p.order {
		for _, c := range from.Calls {
			keys := p.callees(c)
			if c.Iface != nil && p.own[c.Iface.Pkg().Path()] && len(keys) == 0 {
				from.believe(c)
			}
			for _, key := range keys {
				if to := p.nodes[key]; to != nil {
					to.in = append(to.in, incoming{from, c})
				}
			}
		}
	}
}

// believe takes a directive at a call as used: what the call runs is in
// packages that are not part of this run, so that nobody can say that there is
// nothing to allow.
func (n *node) believe(c ctxflow.Call) {
	if d := n.pkg.Flow.Directives; d != nil {
		for _, code := range []finding.Code{finding.SeveredCallee, finding.CallWithoutContext, finding.UncancellableWait, finding.UncancellableLoop} {
			d.Allowed(c.Pos, code)
		}
	}
}

func (p *program) callees(c ctxflow.Call) []string {
	if c.Iface == nil {
		return []string{c.To}
	}
	if keys, ok := p.impls[c.Iface]; ok {
		return keys
	}
	keys := p.implementers(c.Iface)
	p.impls[c.Iface] = keys
	return keys
}

// implementers lists the methods that a call of the interface method may run:
// those of types that somewhere become an interface value. Only interfaces
// declared in the user's own code are asked for; what satisfies io.Closer
// would connect everything with everything.
func (p *program) implementers(m *types.Func) []string {
	recv := m.Signature().Recv()
	if recv == nil || m.Pkg() == nil || !p.own[m.Pkg().Path()] {
		return nil
	}
	iface, ok := recv.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var keys []string
	for _, t := range p.made {
		if types.IsInterface(t) || !types.Implements(t, iface) {
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(t, true, m.Pkg(), m.Name())
		if fn, ok := obj.(*types.Func); ok && !slices.Contains(keys, fn.Origin().FullName()) {
			keys = append(keys, fn.Origin().FullName())
		}
	}
	slices.Sort(keys)
	return keys
}

// reach marks what a request root reaches and names the roots.
func (p *program) reach() {
	for _, root := range p.order {
		if root.Root && !root.Test {
			p.reachFrom(root)
		}
	}
}

func (p *program) reachFrom(root *node) {
	seen := map[*node]bool{root: true}
	work := []*node{root}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if len(n.entries) == MaxEntries {
			continue // so is what n reaches
		}
		n.reached = true
		if !slices.Contains(n.entries, root.Name) {
			n.entries = append(n.entries, root.Name)
		}
		for _, c := range n.Calls {
			for _, key := range p.callees(c) {
				if to := p.nodes[key]; to != nil && !seen[to] {
					seen[to] = true
					work = append(work, to)
				}
			}
		}
	}
}

// MaxEntries bounds how many entry points are listed with a finding: past
// that, one more says nothing new.
const MaxEntries = 20

// grade raises a verdict to grade R if a request reaches its home, or the
// caller that closes it.
func (p *program) grade(v *ctxflow.Verdict) {
	p.raise(v, v.Node)
	for i := range v.Closers {
		if p.raise(v, v.Closers[i].Node) {
			v.Closers[i].Grade = finding.GradeRequest
		}
	}
}

func (p *program) raise(v *ctxflow.Verdict, key string) bool {
	n := p.nodes[key]
	if n == nil || !n.reached {
		return false
	}
	v.Grade = finding.GradeRequest
	v.AddEntries(n.entries)
	return true
}

// close finds the callers with a context that reach an open loss, and reports
// whether there are any.
func (p *program) close(v *ctxflow.Verdict, home *Package) bool {
	start := p.nodes[v.Node]
	if start == nil {
		return false
	}
	v.Closers, v.Entries, v.Grade = nil, nil, finding.GradeNone
	shown := home.Shown
	type step struct {
		n     *node
		chain []string
	}
	seen := map[*node]bool{start: true}
	work := []step{{start, []string{v.HomeName}}}
	for len(work) > 0 {
		s := work[0]
		work = work[1:]
		for _, in := range s.n.in {
			from := in.from
			switch {
			case v.Open.Stopped(in.call) || from.Test:
			case from.Hand:
				if p.addCloser(v, in, s.chain) {
					shown = shown || from.pkg.Shown
				}
			case !seen[from] && !from.Twin && len(s.chain) < maxChain:
				seen[from] = true
				chain := s.chain
				if named(from.Key) != named(s.n.Key) { // not a closure of the same function
					chain = append([]string{from.Name}, chain...)
				}
				work = append(work, step{from, chain})
			}
		}
	}
	slices.SortStableFunc(v.Closers, func(a, b ctxflow.Closer) int {
		if a.Grade != b.Grade {
			return int(b.Grade) - int(a.Grade)
		}
		return strings.Compare(a.Key, b.Key)
	})
	return shown && len(v.Closers) > 0
}

func (p *program) addCloser(v *ctxflow.Verdict, in incoming, chain []string) bool {
	from, pos := in.from, in.call.Pos
	grade := finding.GradeContract
	if from.reached {
		grade = finding.GradeRequest
	}
	if grade == finding.GradeContract && (from.Unheeded || v.Open.Kept || v.Open.StartsUp(from.Name, chain)) {
		return false
	}
	if d := from.pkg.Flow.Directives; d != nil && d.Allowed(pos, v.Code) {
		return false
	}
	v.Grade = max(v.Grade, grade)
	v.AddEntries(from.entries)
	c := ctxflow.Closer{Name: from.Name, Key: named(from.Key), Node: from.Key, Pos: pos, Grade: grade, Chain: chain}
	if !slices.ContainsFunc(v.Closers, func(o ctxflow.Closer) bool { return o.Node == c.Node && o.Pos == c.Pos }) {
		v.Closers = append(v.Closers, c)
	}
	return true
}

// named is the key of the named function that a node is or is in.
func named(key string) string {
	key, _, _ = strings.Cut(key, "$")
	key, _, _ = strings.Cut(key, "#")
	return key
}
