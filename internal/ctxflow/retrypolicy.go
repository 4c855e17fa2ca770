package ctxflow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/errflow"
	"github.com/ctxprop/ctxprop/internal/provenance"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// This file reads how library functions and clients are told to retry. Their
// bodies are never walked: they funnel every function through one call.

// policyPaths are the paths through a library function that retries. ok is
// false if the function is none.
func (e *engine) policyPaths(f *function, cs *callsite, t callee.Target) ([]*retryPath, bool) {
	if t.Obj == nil || t.Obj.Pkg() == nil {
		return nil, false
	}
	p := e.declaredRetry(t.Obj)
	if p == nil && t.Obj.Pkg() == e.pass.Pkg {
		return nil, false
	}
	if p == nil {
		p = retry.FuncPolicy(t.Obj.FullName())
	}
	if p != nil && p.Poll && p.Fn < len(t.Args) {
		return e.pollPaths(f, cs, p, t.Args[p.Fn]), true
	}
	if p != nil && p.Fn < len(t.Args) {
		l := e.policyLayer(f, cs, p)
		if l.count.value().Worst() == 0 {
			return nil, true
		}
		l.marks = l.strips && e.puts(l.stops, t.Args[p.Fn])
		e.loseMarks(l, t.Args[p.Fn])
		path := &retryPath{index: p.Fn, enters: straight}
		if l.count.value().Worst() > 1 {
			path.layers = []*layer{l}
		}
		return e.fill(f, cs, path, t.Args[p.Fn]), true
	}
	if p := e.stubPath(f, cs, t); p != nil {
		return []*retryPath{p}, true
	}
	if l, call := e.clientLayer(cs, t); l != nil {
		sink := Sink{Key: call.FullName(), Name: callee.ShortName(call), Class: "http", Known: true}
		return []*retryPath{{index: -1, enters: straight, sink: sink, layers: []*layer{l}}}, true
	}
	return nil, false
}

// declaredRetry is the policy of a function that a directive or a line of the
// flag declares to retry.
func (e *engine) declaredRetry(fn *types.Func) *retry.LibraryPolicy {
	entry, ok := e.catalog.Func(fn)
	if !ok || entry.Kind != catalog.Retry {
		return nil
	}
	receiver := 0
	if fn.Signature().Recv() != nil {
		receiver = 1
	}
	arg := entry.RetryArg(fn.Signature())
	if arg == catalog.None {
		return nil
	}
	count := -1
	if entry.Count >= 0 {
		count = receiver + entry.Count
	}
	return retry.Declared(fn.FullName(), receiver+arg, count, entry.Attempts)
}

// puts reports whether a function value, or what it calls of the package, puts
// one of the marks on errors: by a library's function, or by making an error of
// the type.
func (e *engine) puts(marks []string, fn ssa.Value) bool {
	refs, _ := e.calls.Funcs(fn)
	for _, ref := range refs {
		if f := e.bySSA[ref.Fn]; ref.Fn != nil && f != nil && e.marksIn(f, marks, 0) {
			return true
		}
	}
	return false
}

func (e *engine) marksIn(f *function, marks []string, depth int) bool {
	for _, cs := range f.calls {
		for _, t := range cs.targets {
			if t.Obj != nil {
				if m, ok := retry.Mark(t.Obj.FullName()); ok && slices.Contains(marks, m) {
					return true
				}
			}
			if g := e.bySSA[t.Fn]; t.Fn != nil && g != nil && depth < 1 && e.marksIn(g, marks, depth+1) {
				return true
			}
		}
	}
	for _, b := range f.ssa.Blocks {
		for _, instr := range b.Instrs {
			if mi, ok := instr.(*ssa.MakeInterface); ok && isError(mi.Type()) && slices.Contains(marks, errflow.TypeMark(mi.X.Type())) {
				return true
			}
		}
	}
	return false
}

func (e *engine) policyLayer(f *function, cs *callsite, p *retry.LibraryPolicy) *layer {
	pos := cs.instr.Pos()
	l := &layer{
		name: f.name(), home: f.key(), through: callee.ShortName(cs.targets[0].Obj), posn: e.shortPosition(pos), pos: pos,
		retries: p.On.Minus(retry.Errors(retry.Permanent)), needs: p.Needs, gives: straight, strips: p.Strips,
	}
	if p.Stop != "" {
		l.stops = []string{p.Stop}
	}
	l.count = e.policyCount(cs, p)
	return l
}

// policyCount is what the call's arguments set the count to, in options, in
// wrappers round a backoff, in a builder's chain or in a struct.
func (e *engine) policyCount(cs *callsite, p *retry.LibraryPolicy) count {
	if p.Count >= 0 {
		return e.countIn(cs, p)
	}
	var args []ssa.Value
	for _, t := range cs.targets {
		for i, arg := range t.Args {
			if i != p.Fn {
				args = append(args, arg)
			}
		}
	}
	return e.countAmong(args, p)
}

// countAmong is what the values set the count of a policy to.
func (e *engine) countAmong(args []ssa.Value, p *retry.LibraryPolicy) count {
	s := &search{e: e, names: p.Set, without: p.Endless, pkg: packageOf(p.Func), seen: map[ssa.Value]bool{}}
	for _, arg := range args {
		if !provenance.IsContext(arg.Type()) {
			s.visit(arg, 0)
		}
	}
	switch {
	case s.found != nil:
		return e.countSet(s.found, p)
	case s.steps != nil:
		return *s.steps
	case s.endless:
		return known(retry.Unbounded())
	case s.opaque:
		return known(retry.Unknown())
	}
	return known(p.Default)
}

// countIn is the count that the policy's parameter for it is given.
func (e *engine) countIn(cs *callsite, p *retry.LibraryPolicy) count {
	for _, t := range cs.targets {
		if p.Count < len(t.Args) {
			return e.countSet(t.Args[p.Count], p)
		}
	}
	return known(retry.Unknown())
}

// countSet is the count that the policy makes of a number.
func (e *engine) countSet(v ssa.Value, p *retry.LibraryPolicy) count {
	n, ok := e.numberOf(v, 0)
	switch {
	case !ok:
		return known(retry.Unknown())
	case n.param == nil:
		return known(p.Attempts(n.least).Join(p.Attempts(n.most)))
	case p.Retries:
		return n.plus(1)
	}
	return n.plus(0)
}

// packageOf is the import path in a full name of go/types.
func packageOf(fullName string) string {
	name := strings.TrimLeft(fullName, "(*")
	i := strings.LastIndexByte(name, '/') + 1
	return name[:i+strings.IndexByte(name[i:], '.')]
}

// search looks in the making of a value for the call that sets a count.
type search struct {
	e       *engine
	names   []string
	without []string // take the bound away
	pkg     string   // of the policy; settings are of the same module
	seen    map[ssa.Value]bool

	found   ssa.Value // the number
	steps   *count    // of a struct with Steps
	endless bool      // something takes the bound away
	opaque  bool      // part of the value comes from elsewhere
}

func (s *search) visit(v ssa.Value, depth int) {
	if s.seen[v] || depth > 12 {
		return
	}
	s.seen[v] = true
	if n := callee.Named(v.Type()); n != nil && n.Obj().Name() == "Backoff" && slices.Contains(s.names, "Steps") {
		s.structSteps(v)
		return
	}
	switch v := v.(type) {
	case *ssa.Const, *ssa.Function, *ssa.MakeClosure:
	case *ssa.Call:
		s.call(v, depth)
	case *ssa.Slice, *ssa.Alloc:
		s.local(v, depth)
	case *ssa.MakeInterface:
		s.visit(v.X, depth+1)
	case *ssa.ChangeInterface:
		s.visit(v.X, depth+1)
	case *ssa.ChangeType:
		s.visit(v.X, depth+1)
	case *ssa.Extract:
		s.visit(v.Tuple, depth+1)
	case *ssa.Phi:
		for _, edge := range v.Edges {
			s.visit(edge, depth+1)
		}
	case *ssa.FreeVar:
		for _, b := range callee.Bindings(v) {
			s.visit(b, depth+1)
		}
	case *ssa.UnOp:
		s.loaded(v, depth)
	case *ssa.Parameter, *ssa.Lookup, *ssa.Field, *ssa.Index, *ssa.TypeAssert:
		s.opaque = true
	}
}

// call looks at the function and its arguments: the setting itself, another
// one, a wrapper, an append, a helper of the package.
func (s *search) call(c *ssa.Call, depth int) {
	fn := c.Call.StaticCallee()
	if fn != nil && fn.Pkg == s.e.pkg && fn.Blocks != nil {
		for _, res := range resultsOf(fn, 0) {
			s.visit(res, depth+1)
		}
	}
	args := c.Call.Args
	if obj, ok := calledObject(c); ok && obj.Pkg() != nil && sameModule(obj.Pkg().Path(), s.pkg) {
		switch name := obj.Name(); {
		case slices.Contains(s.names, name):
			for _, a := range args {
				if isInteger(a.Type()) {
					s.found = a
				}
			}
		case slices.Contains(s.without, name):
			s.endless = true
		}
	}
	for _, a := range args {
		if !isInteger(a.Type()) {
			s.visit(a, depth+1)
		}
	}
	if c.Call.IsInvoke() {
		s.visit(c.Call.Value, depth+1)
	}
}

func calledObject(c ssa.CallInstruction) (*types.Func, bool) {
	if c.Common().IsInvoke() {
		return c.Common().Method, true
	}
	fn := c.Common().StaticCallee()
	if fn == nil {
		return nil, false
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, ok := fn.Object().(*types.Func)
	return obj, ok
}

func sameModule(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// local looks at what is stored in a local variable, array or struct.
func (s *search) local(v ssa.Value, depth int) {
	if sl, ok := v.(*ssa.Slice); ok {
		v = sl.X
	}
	a, ok := v.(*ssa.Alloc)
	if !ok {
		s.visit(v, depth+1)
		return
	}
	if a.Referrers() == nil {
		return
	}
	if n := callee.Named(a.Type()); n != nil && n.Obj().Pkg() != nil && sameModule(n.Obj().Pkg().Path(), s.pkg) && slices.Contains(s.without, n.Obj().Name()) {
		s.endless = true
	}
	for _, ref := range *a.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == a {
				s.visit(ref.Val, depth+1)
			}
		case *ssa.IndexAddr:
			s.stores(ref, ref.Referrers(), depth)
		case *ssa.FieldAddr:
			if f := callee.FieldOf(ref); f != nil && slices.Contains(s.names, f.Name()) {
				for _, use := range *ref.Referrers() {
					if st, ok := use.(*ssa.Store); ok && st.Addr == ref {
						s.found = st.Val
					}
				}
			}
		}
	}
}

func (s *search) stores(addr ssa.Value, refs *[]ssa.Instruction, depth int) {
	if refs == nil {
		return
	}
	for _, use := range *refs {
		if st, ok := use.(*ssa.Store); ok && st.Addr == addr {
			s.visit(st.Val, depth+1)
		}
	}
}

// loaded looks at a variable that the package stores to; others are opaque.
func (s *search) loaded(v *ssa.UnOp, depth int) {
	if v.Op != token.MUL {
		return
	}
	switch a := v.X.(type) {
	case *ssa.Alloc:
		s.local(a, depth)
	case *ssa.FreeVar:
		for _, b := range callee.Bindings(a) {
			s.visit(b, depth+1)
		}
	case *ssa.Global:
		vals, ok := s.e.storesTo(a)
		s.opaque = s.opaque || !ok
		for _, val := range vals {
			s.visit(val, depth+1)
		}
	case *ssa.FieldAddr:
		vals, ok := s.e.fieldStores(callee.FieldOf(a))
		s.opaque = s.opaque || !ok
		for _, val := range vals {
			s.visit(val, depth+1)
		}
	case *ssa.IndexAddr:
		s.opaque = true
	}
}

// backoffs are the ready-made ones of k8s.io/client-go/util/retry.
var backoffs = map[string]int{"DefaultRetry": 5, "DefaultBackoff": 4}

// structSteps reads the Steps of a wait.Backoff.
func (s *search) structSteps(v ssa.Value) {
	if u, ok := v.(*ssa.UnOp); ok && u.Op == token.MUL {
		if g, ok := u.X.(*ssa.Global); ok && g.Pkg != s.e.pkg {
			if n, ok := backoffs[g.Name()]; ok {
				c := known(retry.Exactly(n))
				s.steps = &c
				return
			}
		}
	}
	if n, ok := s.e.numberBelow(v, "Steps", 0); ok {
		c := n.plus(0)
		s.steps = &c
		return
	}
	s.opaque = true
}

// clientLayer is the layer that a library's client adds to its own calls, and
// the call that it is.
func (e *engine) clientLayer(cs *callsite, t callee.Target) (*layer, *types.Func) {
	call := t.Obj
	p := clientPolicy(call)
	if p == nil {
		if call, p = answered(t); p == nil {
			return nil, nil
		}
	}
	return e.layerOfClient(cs, call.Name(), callee.ShortName(call), p), call
}

func (e *engine) layerOfClient(cs *callsite, method, name string, p *retry.LibraryPolicy) *layer {
	if p.Only != nil && !slices.Contains(p.Only, method) {
		return nil
	}
	a := e.clientCount(p)
	if a.Worst() < 2 {
		return nil
	}
	pos := cs.instr.Pos()
	return &layer{name: name, posn: e.shortPosition(pos), pos: pos, count: known(a), retries: p.On, gives: straight}
}

// clientPolicy is the policy of a client's method that makes a call and returns
// its error.
func clientPolicy(m *types.Func) *retry.LibraryPolicy {
	p := policyOfType(m)
	if p == nil || !takesContext(m.Signature()) && !p.Whole || !returnsError(m.Signature()) || p.Answers && m.Signature().Results().Len() < 2 {
		return nil
	}
	return p
}

func policyOfType(m *types.Func) *retry.LibraryPolicy {
	recv := m.Signature().Recv()
	if recv == nil || !m.Exported() {
		return nil
	}
	n := callee.Named(recv.Type())
	if n == nil || n.Obj().Pkg() == nil {
		return nil
	}
	return retry.ClientPolicy(n.Obj().Pkg().Path(), n.Obj().Name())
}

// answered is the call of a client's method whose result, of a type of the
// client's library, is asked for its error here.
func answered(t callee.Target) (*types.Func, *retry.LibraryPolicy) {
	if t.Obj.Signature().Recv() == nil || !returnsError(t.Obj.Signature()) || len(t.Args) == 0 {
		return nil, nil
	}
	v := t.Args[0]
	for {
		fa, ok := v.(*ssa.FieldAddr) // of what is embedded
		if !ok {
			break
		}
		v = fa.X
	}
	c, ok := v.(*ssa.Call)
	if !ok {
		return nil, nil
	}
	m, ok := calledObject(c)
	if !ok || m.Pkg() != t.Obj.Pkg() || returnsError(m.Signature()) {
		return nil, nil
	}
	p := policyOfType(m)
	if p == nil || !takesContext(m.Signature()) && !p.Whole {
		return nil, nil
	}
	return m, p
}

// clientValue is the path through a call of a function value whose type is a
// client's: a library that has functions for methods.
func (e *engine) clientValue(cs *callsite) *retryPath {
	n, ok := types.Unalias(cs.instr.Common().Value.Type()).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || !returnsError(cs.instr.Common().Signature()) {
		return nil
	}
	p := retry.ClientPolicy(n.Obj().Pkg().Path(), n.Obj().Name())
	if p == nil {
		return nil
	}
	name := n.Obj().Pkg().Name() + "." + n.Obj().Name()
	path := &retryPath{index: -1, enters: straight, sink: Sink{Key: n.Obj().Pkg().Path() + "." + n.Obj().Name(), Name: name, Class: "http", Known: true}}
	if l := e.layerOfClient(cs, n.Obj().Name(), name, p); l != nil {
		path.layers = []*layer{l}
	}
	return path
}

// clientCount is the count that the package sets for the client's kind, by
// its fields and options wherever they are set, else the default.
func (e *engine) clientCount(p *retry.LibraryPolicy) retry.Attempts {
	if a, ok := e.clientCounts[p]; ok {
		return a
	}
	var found []retry.Attempts
	for _, f := range e.funcs {
		for _, b := range f.ssa.Blocks {
			for _, instr := range b.Instrs {
				if a, ok := e.setting(p, instr); ok {
					found = append(found, a)
				}
			}
		}
	}
	a := p.Default
	for i, x := range found {
		if i == 0 {
			a = x
		} else {
			a = a.Join(x)
		}
	}
	if e.clientCounts == nil {
		e.clientCounts = map[*retry.LibraryPolicy]retry.Attempts{}
	}
	e.clientCounts[p] = a
	return a
}

// setting reads one instruction that sets a client's count.
func (e *engine) setting(p *retry.LibraryPolicy, instr ssa.Instruction) (retry.Attempts, bool) {
	switch instr := instr.(type) {
	case *ssa.Store:
		fa, ok := instr.Addr.(*ssa.FieldAddr)
		if !ok {
			break
		}
		owner, name := settingName(fa)
		if owner == nil || owner == e.pass.Pkg {
			break
		}
		switch {
		case isConst(instr.Val, "true") && slices.Contains(p.Off, name) && sameOwner(owner.Path(), p.Func):
			return retry.Exactly(1), true
		case slices.Contains(p.Custom, name):
			return retry.Unknown(), true
		case name == p.Times:
			return e.set(instr.Val, p.Multiplied), true
		case slices.Contains(p.Fields, name):
			return e.set(instr.Val, p.Attempts), true
		}
	case *ssa.Call:
		obj, ok := calledObject(instr)
		if !ok || obj.Pkg() == nil || !sameOwner(obj.Pkg().Path(), p.Func) {
			break
		}
		args := instr.Call.Args
		switch {
		case slices.Contains(p.Custom, obj.Name()):
			return retry.Unknown(), true
		case len(args) > 0 && slices.ContainsFunc(p.Off, func(off string) bool {
			name, value, given := strings.Cut(strings.TrimSuffix(off, ")"), "(")
			return given && name == obj.Name() && isConst(args[len(args)-1], value)
		}):
			return retry.Exactly(1), true
		case slices.Contains(p.Set, obj.Name()):
			for _, a := range args {
				if isInteger(a.Type()) {
					return e.set(a, p.Attempts), true
				}
			}
			return retry.Unknown(), true
		}
	case *ssa.MakeInterface:
		if n := callee.Named(instr.X.Type()); n != nil && n.Obj().Pkg() != nil && slices.Contains(p.Off, n.Obj().Name()) && sameOwner(n.Obj().Pkg().Path(), p.Func) {
			return retry.Exactly(1), true
		}
	}
	return retry.Attempts{}, false
}

// set is what a value means as a setting. A pointer to a number is made by a
// function that is given the number.
func (e *engine) set(v ssa.Value, means func(int64) retry.Attempts) retry.Attempts {
	if c, ok := v.(*ssa.Call); ok && len(c.Call.Args) == 1 && isInteger(c.Call.Args[0].Type()) {
		v = c.Call.Args[0]
	}
	n, ok := e.numberOf(v, 0)
	if !ok || n.param != nil {
		return retry.Unknown()
	}
	return means(n.least).Join(means(n.most))
}

// settingName is TYPE.FIELD of an address, with more fields after it where
// structs without a name are in between, and the package of the type.
func settingName(fa *ssa.FieldAddr) (*types.Package, string) {
	f := callee.FieldOf(fa)
	if f == nil {
		return nil, ""
	}
	if owner := callee.Named(fa.X.Type()); owner != nil {
		return owner.Obj().Pkg(), owner.Obj().Name() + "." + f.Name()
	}
	if outer, ok := fa.X.(*ssa.FieldAddr); ok {
		pkg, name := settingName(outer)
		return pkg, name + "." + f.Name()
	}
	return nil, ""
}

func isConst(v ssa.Value, text string) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.ExactString() == text
}

// sameOwner reports whether a package belongs to whoever a pattern's packages
// belong to, by the first two parts of their paths.
func sameOwner(pkg, pattern string) bool {
	parts := strings.SplitN(pattern, "/", 4)
	return len(parts) > 2 && strings.HasPrefix(pkg, parts[0]+"/"+parts[1]+"/")
}
