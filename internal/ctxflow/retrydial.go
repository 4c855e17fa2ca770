package ctxflow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/dialopt"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// This file reads what the options of a gRPC client lay over each of its calls:
// the interceptors that retry, the first of a chain outermost, and under them
// the policies of the service config.

// Dial is the retries in a client's options as facts keep them, or in options
// and interceptors that a function returns.
type Dial struct {
	Config  string // text of the service config, or ""
	Limit   int    // on its attempts; 0 for the usual one
	File    string // of the config: dir/file.go
	Line    int
	Through []DialThrough
}

// DialThrough is an interceptor that retries. The hole of its path is what it
// calls; Policy names the library's function that makes it, if one does.
type DialThrough struct {
	Path   RetryPath
	Policy string
}

// dialled is the retries in a client's options.
type dialled struct {
	config  *retry.ServiceConfig // nil for none
	text    string
	limit   int
	posn    token.Position // of the config
	pos     token.Pos
	through []interceptor // the outermost first
}

// interceptor is one that retries what it calls.
type interceptor struct {
	path   *retryPath
	policy *retry.LibraryPolicy // of a library's
	at     token.Pos            // where it is made
}

func isGRPC(t types.Type, name string) bool {
	n := callee.Named(t)
	return n != nil && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == grpcPath
}

// listOf is what a slice has elements of, or the type itself.
func listOf(t types.Type) types.Type {
	if s, ok := t.Underlying().(*types.Slice); ok {
		return s.Elem()
	}
	return t
}

// dials reports whether a call gives a connection for options.
func dials(c *ssa.Call) bool {
	res := c.Call.Signature().Results()
	return res.Len() > 0 && (isGRPC(res.At(0).Type(), "ClientConn") || isGRPC(res.At(0).Type(), "ClientConnInterface")) && slices.ContainsFunc(c.Call.Args, isOptions)
}

func isOptions(v ssa.Value) bool { return isGRPC(listOf(v.Type()), "DialOption") }

// givesOptions reports whether a function returns options or interceptors.
func givesOptions(sig *types.Signature) bool {
	if sig.Results().Len() == 0 {
		return false
	}
	t := listOf(sig.Results().At(0).Type())
	return isGRPC(t, "DialOption") || isGRPC(t, "UnaryClientInterceptor")
}

// dialsOf are the clients that f makes, or gets from what it calls; of a
// function that returns options or interceptors they are what those come to.
func (e *engine) dialsOf(f *function) []*dialled {
	if f.dials != nil {
		return *f.dials
	}
	var out []*dialled
	f.dials = &out
	if givesOptions(f.ssa.Signature) {
		var all options
		for _, v := range resultsOf(f.ssa, 0) {
			all = append(all, e.optionsOf(v, 0)...)
		}
		out = e.clients(all)
		return out
	}
	for _, c := range e.dialCalls(f) {
		out = append(out, e.clientsOf(c)...)
	}
	for _, c := range e.configsRead() {
		known := slices.ContainsFunc(out, func(d *dialled) bool { return d.pos == c.Call.Lparen })
		if c.In != nil && f.obj != nil && c.In.Origin() == f.obj.Origin() && !known {
			out = append(out, e.configured(c))
		}
	}
	if f.ssa.Signature.Results().Len() > 0 {
		for _, g := range f.out {
			if t := g.target; t.Sig == nil || !givesOptions(t.Sig) || len(out) == 0 {
				out = append(out, e.dialsBehind(t)...)
			}
		}
	}
	return out
}

func (e *engine) dialCalls(f *function) []*ssa.Call {
	var out []*ssa.Call
	for _, cs := range f.calls {
		if c, ok := cs.instr.(*ssa.Call); ok && dials(c) {
			out = append(out, c)
		}
	}
	return out
}

// dialsBehind are those of a function that is called.
func (e *engine) dialsBehind(t callee.Target) []*dialled {
	if g := e.bySSA[t.Fn]; t.Fn != nil && g != nil {
		return e.dialsOf(g)
	}
	if t.Obj == nil || !e.mayBeOwn(t.Obj.Pkg()) {
		return nil
	}
	fact := e.importedFact(t.Obj)
	if fact == nil {
		return nil
	}
	var out []*dialled
	for _, d := range fact.Dials {
		in := &dialled{text: d.Config, limit: d.Limit, posn: token.Position{Filename: d.File, Line: d.Line}}
		if d.Config != "" {
			in.config = retry.ParseServiceConfig(d.Config, retry.Client{MaxCallAttempts: d.Limit})
		}
		for _, i := range d.Through {
			path := i.Path.path(func(c RetryCount) count { return e.importedCount(c, t) })
			in.through = append(in.through, interceptor{path: path, policy: retry.InterceptorPolicy(i.Policy)})
		}
		out = append(out, in)
	}
	return out
}

// maxConfig bounds the text of a config in a fact.
const maxConfig = 8 << 10

// dialFacts is what an importing package must know of f's clients.
func (e *engine) dialFacts(f *function) []Dial {
	var out []Dial
	for _, d := range e.dialsOf(f) {
		fact := Dial{Config: d.text, Limit: d.limit, File: d.posn.Filename, Line: d.posn.Line}
		if len(d.text) > maxConfig {
			fact.Config = ""
		}
		for _, i := range d.through {
			rp := pathFact(f, i.path)
			rp.Hole = max(i.path.index, 0)
			through := DialThrough{Path: rp}
			if i.policy != nil {
				through.Policy = i.policy.Func
			}
			fact.Through = append(fact.Through, through)
		}
		if fact.Config != "" || len(fact.Through) > 0 {
			out = append(out, fact)
		}
	}
	return out
}

// option is one option: the call that makes it, or what a fact tells of it.
type option struct {
	call *ssa.Call
	told *dialled
}

type options []option

// clientsOf are the clients that a call may make: more than one if its config
// may have several texts.
func (e *engine) clientsOf(c *ssa.Call) []*dialled {
	var all options
	for _, t := range e.calls.Targets(&c.Call) { // of a wrapper of one's own
		if behind := e.dialsBehind(t); len(behind) == 1 {
			all = append(all, option{told: behind[0]})
		}
	}
	for _, a := range c.Call.Args {
		if isOptions(a) {
			all = append(all, e.optionsOf(a, 0)...)
		}
	}
	return e.clients(all)
}

// clients puts options together: the last config counts, the interceptor of
// WithUnaryInterceptor is the outermost, and chains follow in their order.
func (e *engine) clients(all options) []*dialled {
	var first, chain []interceptor
	var configs []*dialled
	off := false
	limit := int64(0)
	for _, o := range all {
		if o.told != nil {
			chain = append(chain, o.told.through...)
			if o.told.config != nil {
				configs = []*dialled{o.told}
			}
			continue
		}
		obj, ok := calledObject(o.call)
		if !ok || obj.Pkg() == nil || obj.Pkg().Path() != grpcPath || len(o.call.Call.Args) == 0 && obj.Name() != "WithDisableRetry" {
			continue
		}
		switch obj.Name() {
		case "WithDisableRetry":
			off = true
		case "WithMaxCallAttempts":
			if n, ok := e.numberOf(o.call.Call.Args[0], 0); ok && n.param == nil {
				limit = n.most
			}
		case "WithUnaryInterceptor":
			first = e.interceptors(o.call.Call.Args[0], 0)
		case "WithChainUnaryInterceptor":
			chain = append(chain, e.interceptors(o.call.Call.Args[0], 0)...)
		case "WithDefaultServiceConfig":
			configs = nil
			for _, c := range e.configsRead() {
				if c.Call.Lparen == o.call.Pos() {
					configs = append(configs, e.configured(c))
				}
			}
		}
	}
	if off {
		configs = nil
	}
	through := slices.Concat(first, chain)
	if len(configs) == 0 {
		if len(through) == 0 {
			return nil
		}
		return []*dialled{{through: through}}
	}
	var out []*dialled
	for _, c := range configs {
		d := *c
		d.through = through
		if d.limit == 0 && limit > 0 {
			d.limit = int(limit)
			d.config = retry.ParseServiceConfig(d.text, retry.Client{MaxCallAttempts: d.limit})
		}
		out = append(out, &d)
	}
	return out
}

func (e *engine) configured(c *dialopt.Config) *dialled {
	return &dialled{config: c.Parsed, text: c.Text.String(), limit: c.Client.MaxCallAttempts, posn: e.shortPosition(c.Call.Pos()), pos: c.Call.Lparen}
}

// optionsOf lists the options in a value, in their order: elements of a slice,
// what is appended, what functions return. Where a value may be one of several
// the longest list counts, for a condition usually adds.
func (e *engine) optionsOf(v ssa.Value, depth int) options {
	if depth > maxCountDepth {
		return nil
	}
	if isGRPC(v.Type(), "UnaryClientInterceptor") {
		return options{{told: &dialled{through: e.interceptors(v, depth)}}}
	}
	longest := func(vs []ssa.Value) options {
		var out options
		for _, v := range vs {
			if more := e.optionsOf(v, depth+1); len(more) > len(out) {
				out = more
			}
		}
		return out
	}
	switch v := v.(type) {
	case *ssa.Slice:
		var out options
		if a, ok := v.X.(*ssa.Alloc); ok {
			for _, elem := range elementsOf(a) {
				out = append(out, e.optionsOf(elem, depth+1)...)
			}
		}
		return out
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok {
			var out options
			for _, a := range v.Call.Args {
				out = append(out, e.optionsOf(a, depth+1)...)
			}
			if b.Name() == "append" {
				return out
			}
			return nil
		}
		var out options
		for _, t := range e.calls.Targets(&v.Call) {
			if t.Obj != nil && t.Obj.Pkg() != nil && t.Obj.Pkg().Path() == grpcPath {
				return options{{call: v}}
			}
			for _, d := range e.dialsBehind(t) {
				out = append(out, option{told: e.dialledAt(d, t, v.Pos())})
			}
		}
		if len(out) == 0 {
			out = options{{call: v}}
		}
		return out
	case *ssa.Extract:
		return e.optionsOf(v.Tuple, depth+1)
	case *ssa.MakeInterface:
		return e.optionsOf(v.X, depth+1)
	case *ssa.ChangeType:
		return e.optionsOf(v.X, depth+1)
	case *ssa.Phi:
		return longest(v.Edges)
	default:
		if from, ok := e.storedBehind(v); ok {
			return longest(from)
		}
	}
	return nil
}

// dialledAt is a client's retries where a function of the package is called for them.
func (e *engine) dialledAt(d *dialled, t callee.Target, pos token.Pos) *dialled {
	out := *d
	out.through = nil
	for _, i := range d.through {
		i.path = e.countedAt(i.path, t)
		for _, l := range i.path.layers {
			l.pos = pos // one of several that the function makes
		}
		if !i.at.IsValid() {
			i.at = pos
		}
		out.through = append(out.through, i)
	}
	return &out
}

// countedAt is a path with the counts that a call gives it.
func (e *engine) countedAt(p *retryPath, t callee.Target) *retryPath {
	q := *p
	q.layers = make([]*layer, len(p.layers))
	for i, l := range p.layers {
		c := *l
		c.count = e.countAt(l.count, t)
		q.layers[i] = &c
	}
	return &q
}

// elementsOf lists what is stored in a local array, in its order.
func elementsOf(a *ssa.Alloc) []ssa.Value {
	type element struct {
		index int64
		val   ssa.Value
	}
	var out []element
	for _, ref := range *a.Referrers() {
		ia, ok := ref.(*ssa.IndexAddr)
		if !ok || ia.Referrers() == nil {
			continue
		}
		k, ok := ia.Index.(*ssa.Const)
		if !ok {
			continue
		}
		for _, use := range *ia.Referrers() {
			if st, ok := use.(*ssa.Store); ok && st.Addr == ia {
				out = append(out, element{k.Int64(), st.Val})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b element) int { return int(a.index - b.index) })
	vals := make([]ssa.Value, len(out))
	for i, el := range out {
		vals[i] = el.val
	}
	return vals
}

// storedBehind are the values that a variable, a capture or an unexported field
// holds.
func (e *engine) storedBehind(v ssa.Value) ([]ssa.Value, bool) {
	switch v := v.(type) {
	case *ssa.FreeVar:
		return callee.Bindings(v), true
	case *ssa.Alloc:
		return callee.StoredIn(v)
	case *ssa.UnOp:
		switch a := v.X.(type) {
		case *ssa.FieldAddr:
			return e.fieldStores(callee.FieldOf(a))
		case *ssa.Global:
			return e.storesTo(a)
		case *ssa.Alloc:
			return callee.StoredIn(a)
		case *ssa.FreeVar:
			return callee.Bindings(a), true
		}
	}
	return nil, false
}

// chains are functions that make one interceptor of several.
var chains = []string{
	"github.com/grpc-ecosystem/go-grpc-middleware.ChainUnaryClient",
	"github.com/grpc-ecosystem/go-grpc-middleware/v2.ChainUnaryClient",
}

// interceptors lists those in a value that retry, the outermost first.
func (e *engine) interceptors(v ssa.Value, depth int) []interceptor {
	if depth > maxCountDepth {
		return nil
	}
	switch v := v.(type) {
	case *ssa.Slice:
		var out []interceptor
		if a, ok := v.X.(*ssa.Alloc); ok {
			for _, elem := range elementsOf(a) {
				out = append(out, e.interceptors(elem, depth+1)...)
			}
		}
		return out
	case *ssa.ChangeType:
		return e.interceptors(v.X, depth+1)
	case *ssa.Call:
		return e.madeInterceptors(v, depth)
	case *ssa.MakeClosure, *ssa.Function:
		return e.ownInterceptor(v)
	}
	var out []interceptor
	if from, ok := e.storedBehind(v); ok && len(from) == 1 {
		out = e.interceptors(from[0], depth+1)
	}
	return out
}

// madeInterceptors are those that a call returns: of a library, which the table
// knows, a chain, an append, or of a function of one's own.
func (e *engine) madeInterceptors(c *ssa.Call, depth int) []interceptor {
	if b, ok := c.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
		var out []interceptor
		for _, a := range c.Call.Args {
			out = append(out, e.interceptors(a, depth+1)...)
		}
		return out
	}
	if obj, ok := calledObject(c); ok {
		if slices.Contains(chains, obj.FullName()) && len(c.Call.Args) == 1 {
			return e.interceptors(c.Call.Args[0], depth+1)
		}
		if p := retry.InterceptorPolicy(obj.FullName()); p != nil {
			return e.libraryInterceptor(c, p)
		}
	}
	var out []interceptor
	for _, t := range e.calls.Targets(&c.Call) {
		if t.Sig == nil || !givesOptions(t.Sig) {
			continue
		}
		for _, d := range e.dialsBehind(t) {
			out = append(out, e.dialledAt(d, t, c.Pos()).through...)
		}
	}
	return out
}

// libraryInterceptor is one of a library, with the options that it is given.
func (e *engine) libraryInterceptor(c *ssa.Call, p *retry.LibraryPolicy) []interceptor {
	n := e.countAmong(c.Call.Args, p)
	if n.param == nil && n.value().Worst() < 2 {
		return nil
	}
	obj, _ := calledObject(c)
	l := &layer{
		name: callee.ShortName(obj), posn: e.shortPosition(c.Pos()), pos: c.Pos(),
		count: n, retries: p.On, gives: straight,
	}
	return []interceptor{{path: &retryPath{index: -1, enters: straight, layers: []*layer{l}}, policy: p, at: c.Pos()}}
}

// ownInterceptor is a function that calls the invoker it is given again.
func (e *engine) ownInterceptor(v ssa.Value) []interceptor {
	refs, _ := e.calls.Funcs(v)
	if len(refs) != 1 {
		return nil
	}
	ref := refs[0]
	var paths []*retryPath
	t := callee.Target{Fn: ref.Fn, Obj: ref.Obj}
	if ref.Bound != nil {
		t.Args = []ssa.Value{ref.Bound}
	}
	if g := e.bySSA[ref.Fn]; ref.Fn != nil && g != nil {
		for _, p := range g.paths {
			if p.hole != nil && p.hole.Parent() == ref.Fn && isGRPC(p.hole.Type(), "UnaryInvoker") {
				paths = append(paths, e.countedAt(p, t))
			}
		}
	} else if ref.Obj != nil && e.mayBeOwn(ref.Obj.Pkg()) {
		t.Sig = ref.Obj.Signature()
		for _, p := range e.importedPaths(t) {
			if i := p.index - t.RecvShift(); i >= 0 && i < t.Sig.Params().Len() && isGRPC(t.Sig.Params().At(i).Type(), "UnaryInvoker") {
				paths = append(paths, p)
			}
		}
	}
	for _, p := range paths {
		if len(p.layers) > 0 {
			return []interceptor{{path: p, at: v.Pos()}}
		}
	}
	return nil
}

// hasInterceptors reports whether a function of the package calls an invoker it
// is given again, which the clients that it is an option of must know.
func (e *engine) hasInterceptors() bool {
	return slices.ContainsFunc(e.funcs, func(f *function) bool {
		return slices.ContainsFunc(f.paths, func(p *retryPath) bool {
			return p.hole != nil && len(p.layers) > 0 && isGRPC(p.hole.Type(), "UnaryInvoker")
		})
	})
}

// over puts the client's interceptors over the path of a call, whose options
// may set what a library's interceptor does.
func (e *engine) over(d *dialled, p *retryPath, opts options) *retryPath {
	for _, i := range slices.Backward(d.through) {
		if path := e.toldInCall(i, opts); path != nil {
			p, _ = p.stacked(path)
		}
	}
	return p
}

// toldInCall is an interceptor's path with what the options of a call make of
// its count, or nil if they turn it off.
func (e *engine) toldInCall(i interceptor, opts options) *retryPath {
	if i.policy == nil {
		return i.path
	}
	for _, o := range opts {
		obj, ok := calledObject(o.call)
		if !ok || obj.Pkg() == nil || obj.Pkg().Path() != packageOf(i.policy.Func) {
			continue
		}
		switch {
		case slices.Contains(i.policy.Off, obj.Name()):
			return nil
		case slices.Contains(i.policy.Set, obj.Name()):
			n, ok := e.numberOf(o.call.Call.Args[0], 0)
			q := *i.path
			l := *q.layers[0]
			if l.count = known(retry.Unknown()); ok && n.param == nil {
				l.count = known(i.policy.Attempts(n.most))
			}
			if l.count.value().Worst() < 2 {
				return nil
			}
			q.layers = []*layer{&l}
			return &q
		}
	}
	return i.path
}

// dialNests notes the nests that the options of one client are by themselves.
func (e *engine) dialNests() {
	e.servicesOn = map[token.Pos][]string{}
	for _, f := range e.funcs {
		if e.inTest(f.pos()) || e.inGenerated(f.pos()) {
			continue
		}
		for _, c := range e.dialCalls(f) {
			services, only := e.calledOn(c)
			for _, d := range e.clientsOf(c) {
				if only {
					e.servicesOn[d.pos] = append(e.servicesOn[d.pos], services...)
				}
				e.dialNest(f, d, services)
			}
		}
	}
}

// dialNest notes the nest of one client, of which the services are known to be
// called.
func (e *engine) dialNest(f *function, d *dialled, services []string) {
	if len(d.through) == 0 {
		return
	}
	if d.config != nil && len(services) > 0 && !slices.ContainsFunc(d.config.Services(), func(s string) bool { return s == "" || slices.Contains(services, s) }) {
		bare := *d
		bare.config = nil // for nothing that is called
		d = &bare
	}
	base := &retryPath{index: -1, enters: straight, sink: Sink{Key: "each method", Name: "each method", Class: "rpc", Known: true}}
	if d.config != nil {
		name, policy := d.config.Most()
		if policy != nil {
			base.layers = []*layer{e.configLayer(d, "the service config for "+name, policy)}
		}
		if name != "" {
			base.sink.Key, base.sink.Name = name, "each method of "+name
		}
	}
	p := e.over(d, base, nil)
	if len(p.layers) < 2 {
		return
	}
	outer := d.through[0]
	at, home := outer.at, f
	if hole := outer.path.hole; hole != nil && outer.path.via.IsValid() {
		at, home = outer.path.via, e.bySSA[hole.Parent()]
	}
	if !at.IsValid() {
		at = d.pos
	}
	n := *p
	n.via = at
	e.addNest(home, nil, &n, 1)
	if n := e.nests[nestKey{at, p.layers[0].posn}]; n != nil {
		n.everyCall = true
	}
}
