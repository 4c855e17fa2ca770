package ctxflow

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/errflow"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/loops"
	"github.com/ctxprop/ctxprop/internal/provenance"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// DefaultThreshold is the product of attempts from which nested retries are
// reported: three attempts in each of two layers.
const DefaultThreshold = 9

// severeFactor is the product from which they are errors: three layers of
// three, the most common default everywhere.
const severeFactor = 27

// Retry is what a verdict on retries says beyond its place and sink.
type Retry struct {
	Layers   []RetryStep // the outermost first
	Product  retry.Product
	Steady   retry.Steady // for one and the same error each time
	Severity finding.Severity
	Why      string // for the single-loop codes: what exactly is wrong
	executor bool   // what is tried is a function that the home is given
}

// SpentBody is a Why of CTX306: all attempts but the first send an empty body.
const SpentBody = "body"

// RetryStep is one layer in a witness.
type RetryStep struct {
	Name     string
	Through  string // the executor by which it retries, if any
	Attempts retry.Attempts
	Position token.Position
}

// nestKey tells nests apart: where the inner layer is reached, and from which
// outer one.
type nestKey struct {
	via   token.Pos
	outer token.Position
}

// nest is a path on which layers of retries lie over one another.
type nest struct {
	f    *function
	path *retryPath
	// everyCall: the layers are a client's options, which lie over all its calls.
	everyCall bool
}

// addNest notes that f puts layers over a path that has some already. Of the
// paths through one call the one with the most attempts is kept.
func (e *engine) addNest(f *function, cs *callsite, p *retryPath, added int) {
	if len(p.layers) <= added || e.inTest(f.pos()) || e.inGenerated(f.pos()) {
		return
	}
	via := p.via
	if !via.IsValid() {
		via = cs.instr.Pos()
	}
	key := nestKey{via, p.layers[0].posn}
	if e.nests == nil {
		e.nests = map[nestKey]*nest{}
	}
	if old := e.nests[key]; old != nil && old.path.attempts().Worst() > p.attempts().Worst() && len(old.path.layers) >= len(p.layers) {
		return
	}
	e.nests[key] = &nest{f: f, path: p}
}

// judgeRetries makes the verdicts.
func (e *engine) judgeRetries() {
	e.dialNests()
	var found []*Verdict
	for key, n := range e.nests {
		if e.partOfAnother(n) {
			continue
		}
		if v := e.nestVerdict(key, n); v != nil {
			found = append(found, v)
		}
		if v := e.lostVerdict(key, n); v != nil {
			found = append(found, v)
		}
	}
	for _, f := range e.funcs {
		if helpsTests(f.ssa) {
			continue
		}
		for _, r := range slices.Concat(e.retryLoops[f], e.recursions[f]) {
			if v := e.loopVerdict(r); v != nil {
				_, v.Retry.executor = r.work.instr.Common().Value.(*ssa.Parameter) // whatever Run is called for
				found = append(found, v)
			}
		}
	}
	for _, v := range e.lostMarks {
		found = append(found, v)
	}
	slices.SortFunc(found, func(a, b *Verdict) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Sink.Key, b.Sink.Key))
	})
	next := map[finding.Identity]int{}
	for _, v := range found {
		id := v.ID()
		v.Ordinal = next[id]
		next[id]++
		e.deliver(v)
	}
}

// helpsTests reports whether a function, or one around it, is given the state
// of a test: in whatever file it is, its assertions end the test.
func helpsTests(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		for _, p := range fn.Params {
			if n := callee.Named(p.Type()); n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "testing" {
				return true
			}
		}
	}
	return false
}

// partOfAnother reports whether the nest's layers are the inner ones of a nest
// that is reported as well.
func (e *engine) partOfAnother(n *nest) bool {
	for _, m := range e.nests {
		a, b := n.path.layers, m.path.layers
		if len(b) > len(a) && slices.EqualFunc(a, b[len(b)-len(a):], func(x, y *layer) bool { return x.posn == y.posn }) && e.factor(m).Worst() >= e.threshold() {
			return true
		}
	}
	return false
}

// factor is the nest's product for the worst single cause.
func (e *engine) factor(n *nest) retry.Attempts {
	return retry.SingleCause(retryLayers(n.path), n.path.enters.Apply(n.path.bottom())).Factors.Total()
}

func retryLayers(p *retryPath) []retry.Layer {
	var out []retry.Layer
	for _, l := range p.layers {
		lay := retry.Layer{Kind: l.kind, Attempts: l.count.value(), Retries: l.retries, Gives: l.gives.Mapping}
		if l.throttle {
			lay.Throttle = &retry.Throttle{}
		}
		out = append(out, lay)
	}
	return out
}

// deliver reports a verdict, or leaves it to the program's view if no request
// and no caller's context is in sight. What starts or runs may wait for as long
// as it takes, but not spin.
func (e *engine) deliver(v *Verdict) {
	if e.allows.Allowed(v.Pos, v.Code) {
		return
	}
	if v.Grade == finding.GradeNone || v.Grade == finding.GradeContract && v.Retry.Severity > finding.Info && !v.Retry.executor && v.Code != finding.TightRetry && StartUp(v.HomeName) {
		e.latent = append(e.latent, v)
		return
	}
	e.verdicts = append(e.verdicts, v)
}

func (e *engine) retryVerdict(code finding.Code, f *function, pos token.Pos, sink Sink) *Verdict {
	v := &Verdict{
		Code: code, Grade: e.gradeAt(f), Home: f.key(), HomeName: f.name(), Node: f.nodeKey(), Sink: sink,
		Retry: &Retry{},
	}
	v.Pos, v.End = callRange(e.fileOf(pos), pos)
	if hand := e.atHand(f); len(hand) > 0 {
		v.setHand(hand)
	}
	v.AddEntries(e.entries(f))
	rule, _ := finding.Rule(code)
	v.Retry.Severity = rule.Severity
	return v
}

func (e *engine) nestVerdict(key nestKey, n *nest) *Verdict {
	r := n.path.nested(e.threshold())
	if r == nil {
		return nil
	}
	v := e.retryVerdict(finding.NestedRetry, n.f, key.via, n.path.sink)
	v.Retry = r
	if n.everyCall {
		v.Grade = finding.GradeRequest
	}
	return v
}

// nested is what is to be said of a path's layers, or nil if they do not come
// to the threshold for any single cause.
func (p *retryPath) nested(threshold int) *Retry {
	r := p.counted()
	multiplying := 0
	for _, a := range r.Steady.Factors {
		if a.Worst() >= 2 {
			multiplying++
		}
	}
	if r.Steady.Factors.Total().Worst() < threshold || multiplying < 2 {
		return nil
	}
	return r
}

func (l *layer) step() RetryStep { return RetryStep{l.name, l.through, l.count.value(), l.posn} }

// lostVerdict: an inner layer is told to stop at some errors, takes the mark
// off what it returns, and the next layer tries again all the same.
func (e *engine) lostVerdict(key nestKey, n *nest) *Verdict {
	for i, l := range n.path.layers {
		if i == 0 || !l.marks || n.path.layers[i-1].needs != "" {
			continue
		}
		v := e.retryVerdict(finding.LostPermanent, n.f, key.via, n.path.sink)
		outer := n.path.layers[i-1]
		v.Retry.Layers = []RetryStep{outer.step(), l.step()}
		return v
	}
	return nil
}

func (e *engine) threshold() int {
	if e.cfg.Threshold > 0 {
		return e.cfg.Threshold
	}
	return DefaultThreshold
}

// loopVerdict is what is wrong with one loop, the worst first: it never ends,
// it does not hear the end of its context, it does not wait.
func (e *engine) loopVerdict(r *retryLoop) *Verdict {
	sink, works := e.attempted(r)
	if !works {
		return nil
	}
	hand := len(e.atHand(r.f)) > 0
	switch {
	case !r.reopens && e.neverEnds(r):
		v := e.retryVerdict(finding.UnboundedRetry, r.f, r.pos, sink)
		v.Pos, v.End = r.pos, r.pos
		r.take()
		return v
	case !r.reopens && r.deaf && hand && e.goesOn(r):
		v := e.retryVerdict(finding.DeafRetry, r.f, r.pos, sink)
		v.Pos, v.End = r.pos, r.pos
		v.Retry.Why = "wait"
		if at, stays := e.doneCase(r); stays {
			v.Pos, v.End = at, at
			v.Retry.Why = "stay"
		}
		v.RootCall, v.FixSafe = r.onlySleep()
		r.take()
		return v
	case r.tight && e.remote(r) && e.goesOn(r) && !e.optimistic(r):
		v := e.retryVerdict(finding.TightRetry, r.f, r.pos, sink)
		v.Pos, v.End = r.pos, r.pos
		v.FixSafe = !r.reopens
		r.take()
		return v
	}
	if r.reopens || r.loop == nil {
		return nil
	}
	if at, ok := e.repeatsDeadline(r); ok && hand {
		v := e.retryVerdict(finding.DeafRetry, r.f, at, sink)
		v.Pos, v.End = at, at
		v.Retry.Why = "deadline"
		return v
	}
	if at, ok := e.spentBody(r); ok {
		v := e.retryVerdict(finding.HarmfulCodes, r.f, at, sink)
		v.Pos, v.End = at, at
		v.Retry.Why = SpentBody
		return v
	}
	if at, codes, ok := e.repeatsHopeless(r); ok {
		v := e.retryVerdict(finding.HarmfulCodes, r.f, at, sink)
		v.Pos, v.End = at, at
		v.Retry.Why = codes
		return v
	}
	if why, ok := e.outlives(r); ok {
		v := e.retryVerdict(finding.RetryOutlives, r.f, r.pos, sink)
		v.Pos, v.End = r.pos, r.pos
		v.Retry.Why = why
		return v
	}
	if d, wait := e.flatWait(r); d > 0 && e.remoteKnown(r) && e.goesOn(r) {
		v := e.retryVerdict(finding.FlatWait, r.f, r.pos, sink)
		v.Pos, v.End = r.pos, r.pos
		v.Retry.Why = d.String()
		// A sleep that a context could end is to be mended as that.
		v.RootCall, v.FixSafe = wait.Pos(), !hand || wait.Call.StaticCallee().Name() != "Sleep"
		return v
	}
	return nil
}

// doneCase finds a Done case in the loop that does not leave it.
func (e *engine) doneCase(r *retryLoop) (token.Pos, bool) {
	if r.loop == nil {
		return token.NoPos, false
	}
	for _, b := range r.loop.Blocks {
		for _, instr := range b.Instrs {
			if s, ok := instr.(*ssa.Select); ok {
				if at, stays := e.staysOnDone(s, r.loop); stays {
					return at, true
				}
			}
		}
	}
	return token.NoPos, false
}

// take keeps the rules for other loops from reporting this one.
func (r *retryLoop) take() {
	r.taken = true
}

// onlySleep is the call of time.Sleep that is the loop's only wait.
func (r *retryLoop) onlySleep() (token.Pos, bool) {
	var found token.Pos
	if r.loop == nil {
		return found, false
	}
	for _, b := range r.loop.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Select:
				return token.NoPos, false
			case *ssa.UnOp:
				if instr.Op == token.ARROW {
					return token.NoPos, false
				}
			case *ssa.Call:
				if fn := instr.Call.StaticCallee(); fn != nil && fn.Name() == "Sleep" && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "time" {
					if found.IsValid() {
						return token.NoPos, false
					}
					found = instr.Pos()
				}
			}
		}
	}
	return found, found.IsValid()
}

// attempted is what the loop repeats, as messages call it. works is false if
// nothing below it is known to be more than computation.
func (e *engine) attempted(r *retryLoop) (sink Sink, works bool) {
	for _, p := range e.pathsAt(r.f, r.work) {
		works = works || p.hole != nil || p.sink.Known || e.mayBlock(p, r)
	}
	sink = Sink{Key: "func", Name: valueName(r.work.instr.Common().Value), Known: true}
	if t := r.work.targets[0]; t.Obj != nil {
		sink.Key, sink.Name = t.Obj.FullName(), t.Name()
	} else if t.Fn != nil {
		sink.Name = "a function literal"
	}
	return sink, works
}

// neverEnds: for some failure nothing ends the loop, not even the end of the
// context that the attempt may be made on.
func (e *engine) neverEnds(r *retryLoop) bool {
	return r.endless.Meets(retry.Errors(retry.Unavailable, retry.Internal, retry.UnknownCode, retry.Plain, retry.Opaque)) &&
		(!takesAnyContext(r.work.instr.(*ssa.Call)) || retry.ContextEnd.In(r.endless))
}

// goesOn: there are at least three attempts, so that what is wrong between two
// of them comes again.
func (e *engine) goesOn(r *retryLoop) bool {
	a := r.count.value()
	return a.IsUnbounded() || a.IsUnknown() || a.Worst() >= 3
}

// remote reports whether what is repeated is a call of another process: by the
// catalog, as the method of a generated client, or because an interface's
// method takes a context and returns an error. A function of the package
// counts by what it calls, if it does not wait itself.
func (e *engine) remote(r *retryLoop) bool {
	for _, t := range r.work.targets {
		if t.Fn != nil && e.bySSA[t.Fn] != nil {
			if e.targetPasses(t, nil, 0)&passWait != 0 || !e.remoteBelow(e.bySSA[t.Fn]) {
				return false
			}
			continue
		}
		if t.Obj == nil {
			return false
		}
		if entry, ok := e.lookup(t); ok {
			// Accept waits for somebody else's call.
			if !remoteClass(string(entry.Class)) || strings.HasPrefix(t.Obj.Name(), "Accept") {
				return false
			}
		} else if !isStub(t.Obj) && !(t.Invoked && t.Sig != nil && blockingShape(t.Sig) && e.mayBeOwn(t.Obj.Pkg())) {
			return false
		}
	}
	return len(r.work.targets) > 0
}

// remoteKnown is remote without what only an interface's shape tells.
func (e *engine) remoteKnown(r *retryLoop) bool {
	for _, t := range r.work.targets {
		if t.Obj == nil {
			return false
		}
		if !isStub(t.Obj) {
			if entry, ok := e.lookup(t); !ok || !remoteClass(string(entry.Class)) {
				return false
			}
		}
	}
	return len(r.work.targets) > 0
}

func (e *engine) remoteBelow(f *function) bool {
	for _, p := range f.paths {
		if len(p.layers) == 0 && p.hole == nil && remoteClass(p.sink.Class) {
			return true
		}
	}
	return false
}

func remoteClass(class string) bool {
	return class == "rpc" || class == "http" || class == "sql" || class == "net"
}

// isStub reports whether a method is one of a generated gRPC client's: it
// takes a context and call options.
func isStub(fn *types.Func) bool {
	sig := fn.Signature()
	n := sig.Params().Len()
	if sig.Recv() == nil || n < 2 || !sig.Variadic() || !provenance.IsContext(sig.Params().At(0).Type()) {
		return false
	}
	sl, ok := sig.Params().At(n - 1).Type().(*types.Slice)
	if !ok {
		return false
	}
	named, ok := types.Unalias(sl.Elem()).(*types.Named)
	return ok && named.Obj().Name() == "CallOption" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "google.golang.org/grpc"
}

// optimistic reports whether the loop repeats only what was lost to another
// writer, for which trying again at once is right, or what has timed out, which
// has waited already.
func (e *engine) optimistic(r *retryLoop) bool {
	return !r.retries.Meets(retry.Errors(retry.Unavailable, retry.ResourceExhausted, retry.Internal, retry.UnknownCode))
}

// repeatsDeadline reports where the loop asks for the deadline's code to try
// again on it, with a context that is the same each time: then only a new
// deadline could change the result.
func (e *engine) repeatsDeadline(r *retryLoop) (token.Pos, bool) {
	if !r.retries.Meets(retry.Errors(retry.DeadlineExceeded, retry.ContextDeadline)) || !e.goesOn(r) || retry.Errors(retry.NotFound, retry.InvalidArgument).In(r.retries) {
		return token.NoPos, false
	}
	shared := false
	for _, a := range r.work.instr.Common().Args {
		if !provenance.IsContext(a.Type()) {
			continue
		}
		if !r.loop.Invariant(a) {
			return token.NoPos, false
		}
		shared = true
	}
	if !shared {
		return token.NoPos, false
	}
	at := token.NoPos
	e.eachAsked(r.f, r.loop, func(instr ssa.Instruction) {
		cmp, ok := instr.(*ssa.BinOp)
		asks := ok && (isCode(cmp.X, retry.DeadlineExceeded) || isCode(cmp.Y, retry.DeadlineExceeded))
		if c, ok := instr.(*ssa.Call); ok {
			asks = slices.Contains(errflow.Asks(c), "context.DeadlineExceeded")
		}
		if asks && !at.IsValid() {
			at = instr.Pos()
		}
	})
	return at, at.IsValid()
}

// repeatsHopeless reports where the loop asks for a code to try again on it with
// which the very same request must fail again, and names those codes. A loop
// that tries again on most codes does not ask for any. What time, a login or
// another writer may mend is left alone: NOT_FOUND, ALREADY_EXISTS,
// PERMISSION_DENIED, FAILED_PRECONDITION, and UNAUTHENTICATED by itself.
func (e *engine) repeatsHopeless(r *retryLoop) (at token.Pos, codes string, ok bool) {
	if e.changesRequest(r) {
		return token.NoPos, "", false
	}
	certain := r.retries & retry.Errors(retry.InvalidArgument, retry.OutOfRange, retry.Unimplemented)
	if certain == 0 || retry.Errors(retry.Opaque, retry.DataLoss, retry.Aborted).In(r.retries) || retry.Hopeless.In(r.retries) {
		return token.NoPos, "", false
	}
	named := certain | r.retries&retry.Errors(retry.Unauthenticated, retry.PermissionDenied)
	var names []string
	for _, class := range named.Classes() {
		pos := e.whereAsked(r, class)
		if !pos.IsValid() {
			certain = certain.Minus(retry.Errors(class))
			continue
		}
		names = append(names, class.String())
		if !at.IsValid() || pos < at {
			at = pos
		}
	}
	return at, strings.Join(names, ", "), certain != 0
}

// changesRequest reports whether the loop writes to what it calls, or to what
// it passes: the next attempt is another one.
func (e *engine) changesRequest(r *retryLoop) bool {
	var parts []ssa.Value
	for _, arg := range r.work.targets[0].Args {
		parts = append(parts, placeOf(arg).root)
	}
	if c := r.work.instr.Common(); c.IsInvoke() {
		parts = append(parts, placeOf(c.Value).root)
	}
	for _, b := range r.loop.Blocks {
		for _, instr := range b.Instrs {
			st, ok := instr.(*ssa.Store)
			if !ok {
				continue
			}
			if fa, ok := st.Addr.(*ssa.FieldAddr); ok && slices.Contains(parts, placeOf(fa.X).root) && !madeIn(r.loop, placeOf(fa.X).root) {
				return true
			}
		}
	}
	return false
}

// madeIn reports whether a local variable is made in each round.
func madeIn(l *loops.Loop, v ssa.Value) bool {
	a, ok := v.(*ssa.Alloc)
	return ok && l.Contains(a.Block())
}

// whereAsked is where the loop or its predicates name a code: in a comparison,
// or in the map or list that they look it up in.
func (e *engine) whereAsked(r *retryLoop, class retry.Class) token.Pos {
	at := token.NoPos
	found := func(v ssa.Value, pos token.Pos) {
		if !at.IsValid() && pos.IsValid() && isCode(v, class) {
			at = pos
		}
	}
	listed := func(v ssa.Value) {
		if u, ok := v.(*ssa.UnOp); ok {
			if g, ok := u.X.(*ssa.Global); ok {
				v, _ = e.onlyStoredIn(g)
			}
		}
		for _, entry := range entriesOf(v) {
			found(entry.code, entry.pos)
		}
	}
	e.eachAsked(r.f, r.loop, func(instr ssa.Instruction) {
		switch instr := instr.(type) {
		case *ssa.BinOp:
			found(instr.X, instr.Pos())
			found(instr.Y, instr.Pos())
		case *ssa.Lookup:
			listed(instr.X)
		case *ssa.Call:
			if obj, ok := calledObject(instr); ok && obj.FullName() == "slices.Contains" && len(instr.Call.Args) == 2 {
				listed(instr.Call.Args[0])
			}
		}
	})
	return at
}

// entry is a constant in a map or list, with the place where it is put there.
type entry struct {
	code ssa.Value
	pos  token.Pos
}

func entriesOf(v ssa.Value) []entry {
	var out []entry
	switch v := v.(type) {
	case *ssa.MakeMap:
		for _, ref := range *v.Referrers() {
			if up, ok := ref.(*ssa.MapUpdate); ok {
				out = append(out, entry{up.Key, up.Pos()})
			}
		}
	case *ssa.Slice:
		a, ok := v.X.(*ssa.Alloc)
		if !ok {
			return nil
		}
		for _, ref := range *a.Referrers() {
			ia, ok := ref.(*ssa.IndexAddr)
			if !ok {
				continue
			}
			for _, use := range *ia.Referrers() {
				if st, ok := use.(*ssa.Store); ok && st.Addr == ia {
					out = append(out, entry{st.Val, v.Pos()})
				}
			}
		}
	}
	return out
}

// isCode reports whether a value is a constant gRPC code of the class.
func isCode(v ssa.Value, class retry.Class) bool {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return false
	}
	n, ok := types.Unalias(c.Type()).(*types.Named)
	if !ok || n.Obj().Name() != "Code" || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != "google.golang.org/grpc/codes" {
		return false
	}
	k, ok := constant.Int64Val(c.Value)
	return ok && retry.Class(k) == class
}
