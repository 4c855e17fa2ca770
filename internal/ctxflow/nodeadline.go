package ctxflow

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// This file finds outgoing calls that nothing ever ends (CTX206): on a context
// that provably has no deadline, by a client that provably has no timeout.
// Provable is what one command shows: package main has all callers of its
// functions, and it makes the client beside its use, of parts that are known to
// set none.

// findNoDeadline reports such calls.
func (e *engine) findNoDeadline() {
	if e.pass.Pkg.Name() != "main" || e.testSupport {
		return
	}
	ordinals := map[[2]string]int{}
	for _, f := range e.funcs {
		if e.reached[f] || e.inTest(f.pos()) || e.inGenerated(f.pos()) {
			continue
		}
		for _, cs := range f.calls {
			sink, ok := e.callsWithoutEnd(f, cs)
			if !ok {
				continue
			}
			k := [2]string{f.key(), sink.Key}
			ordinals[k]++
			if e.hasVerdictAt(f, cs) || e.allowed(cs.instr.Pos(), finding.NoDeadline, cs.instr.Pos()) {
				continue
			}
			v := e.lapseVerdict(&lapse{code: finding.NoDeadline, home: f, at: cs.instr, pos: cs.instr.Pos(), sink: sink, ordinal: ordinals[k] - 1})
			v.Grade = finding.GradeContract
			e.verdicts = append(e.verdicts, v)
		}
	}
}

// hasVerdictAt reports whether the call has a verdict of its own, or is one
// that a caller's context should reach.
func (e *engine) hasVerdictAt(f *function, cs *callsite) bool {
	at := func(v *Verdict) bool { return v.SinkPos == cs.instr.Pos() }
	if slices.ContainsFunc(e.verdicts, at) {
		return true
	}
	for _, v := range e.closed {
		if v.Home == f.key() {
			return true
		}
	}
	return false
}

// callsWithoutEnd reports whether a call sends a request that has no deadline
// by a client that has no timeout.
func (e *engine) callsWithoutEnd(f *function, cs *callsite) (Sink, bool) {
	if _, plain := cs.instr.(*ssa.Call); !plain || len(cs.targets) != 1 || cs.targets[0].Obj == nil {
		return Sink{}, false
	}
	t := cs.targets[0]
	if isStub(t.Obj) {
		return e.stubWithoutEnd(f, t)
	}
	entry, ok := e.lookup(t)
	if ok && entry.Class == catalog.SQL {
		return e.queryWithoutEnd(f, t, &entry)
	}
	if !ok || t.Obj.Pkg().Path() != "net/http" || entry.Class != catalog.HTTP {
		return Sink{}, false
	}
	sink := Sink{Key: t.Obj.FullName(), Name: callee.ShortName(t.Obj), Class: string(entry.Class), Known: true}
	if t.RecvShift() == 1 && !withoutTimeout(t.Args[0]) {
		return Sink{}, false
	}
	switch {
	case entry.Kind == catalog.Twin:
		return sink, true
	case entry.Kind == catalog.Block && strings.HasSuffix(sink.Key, "Client).Do"):
		return sink, e.endlessContext(f, provenance.ContextArg(&entry, t), 0)
	}
	return Sink{}, false
}

// stubWithoutEnd is callsWithoutEnd for a unary method of a generated gRPC
// client: its connection is dialled here with options that set no timeout.
func (e *engine) stubWithoutEnd(f *function, t callee.Target) (Sink, bool) {
	sig := t.Obj.Signature()
	if sig.Results().Len() != 2 || sig.Params().Len() < 2 || len(t.Args) < 2 || !isPointer(sig.Results().At(0).Type()) || !isPointer(sig.Params().At(1).Type()) {
		return Sink{}, false // a stream may stay open on purpose
	}
	made := e.madeBy(t.Args[0], 0)
	if len(made) != 1 || len(made[0].Call.Args) == 0 {
		return Sink{}, false
	}
	dials := e.madeBy(made[0].Call.Args[0], 0)
	if len(dials) != 1 || !dialsWithoutTimeout(dials[0]) {
		return Sink{}, false
	}
	sink := Sink{Key: t.Obj.FullName(), Name: callee.ShortName(t.Obj), Class: string(catalog.RPC), Known: true}
	return sink, e.endlessContext(f, t.Args[1], 0)
}

func isPointer(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok
}

const grpcPath = "google.golang.org/grpc"

// harmlessOptions are the dial options of grpc-go that leave deadlines alone.
// Interceptors and service configs may set one, and so may what is not known.
var harmlessOptions = []string{
	"FailOnNonTempDialError", "WithAuthority", "WithBlock", "WithConnectParams", "WithContextDialer", "WithDisableHealthCheck",
	"WithDisableRetry", "WithDisableServiceConfig", "WithIdleTimeout", "WithInitialConnWindowSize", "WithInitialWindowSize",
	"WithInsecure", "WithKeepaliveParams", "WithMaxHeaderListSize", "WithNoProxy", "WithPerRPCCredentials", "WithReadBufferSize",
	"WithReturnConnectionError", "WithSharedWriteBuffer", "WithTransportCredentials", "WithUserAgent", "WithWriteBufferSize",
}

// dialsWithoutTimeout reports whether a call dials a gRPC connection with
// nothing but such options.
func dialsWithoutTimeout(dial *ssa.Call) bool {
	fn, ok := calledObject(dial)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != grpcPath || fn.Name() != "NewClient" && fn.Name() != "Dial" && fn.Name() != "DialContext" {
		return false
	}
	options, ok := variadic(dial.Call.Args[len(dial.Call.Args)-1])
	return ok && !slices.ContainsFunc(options, func(o ssa.Value) bool {
		c, ok := o.(*ssa.Call)
		if !ok {
			return true
		}
		opt, ok := calledObject(c)
		return !ok || opt.Pkg() == nil || opt.Pkg().Path() != grpcPath || !slices.Contains(harmlessOptions, opt.Name())
	})
}

// variadic lists the values that a call passes one by one for its variadic
// parameter.
func variadic(arg ssa.Value) ([]ssa.Value, bool) {
	if c, ok := arg.(*ssa.Const); ok {
		return nil, c.IsNil()
	}
	slice, ok := arg.(*ssa.Slice)
	if !ok {
		return nil, false
	}
	array, ok := slice.X.(*ssa.Alloc)
	if !ok {
		return nil, false
	}
	var vals []ssa.Value
	for _, ref := range *array.Referrers() {
		at, ok := ref.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, use := range *at.Referrers() {
			if st, ok := use.(*ssa.Store); ok && st.Addr == at {
				vals = append(vals, st.Val)
			}
		}
	}
	return vals, true
}

// queryWithoutEnd is callsWithoutEnd for database/sql: the database is opened
// here, and its constant data source name speaks of no timeout.
func (e *engine) queryWithoutEnd(f *function, t callee.Target, entry *catalog.Entry) (Sink, bool) {
	if t.RecvShift() != 1 || t.Obj.Pkg().Path() != "database/sql" || hasVerb(t.Obj.Name(), "Ping") {
		return Sink{}, false // a command may wait for its database before it starts
	}
	opens := e.madeBy(t.Args[0], 0)
	if len(opens) != 1 || len(opens[0].Call.Args) != 2 {
		return Sink{}, false
	}
	fn, ok := calledObject(opens[0])
	if !ok || fn.FullName() != "database/sql.Open" {
		return Sink{}, false
	}
	source, ok := opens[0].Call.Args[1].(*ssa.Const)
	if !ok || source.Value == nil || source.Value.Kind() != constant.String || namesTimeout(constant.StringVal(source.Value)) {
		return Sink{}, false
	}
	sink := Sink{Key: t.Obj.FullName(), Name: callee.ShortName(t.Obj), Class: string(entry.Class), Known: true}
	switch entry.Kind {
	case catalog.Twin:
		return sink, true
	case catalog.Block:
		return sink, e.endlessContext(f, provenance.ContextArg(entry, t), 0)
	}
	return Sink{}, false
}

// namesTimeout reports whether a data source name has a parameter that bounds
// calls: timeout, read_timeout, statement_timeout, busy_timeout.
func namesTimeout(source string) bool {
	source = strings.ToLower(source)
	return strings.Contains(source, "timeout") || strings.Contains(source, "deadline")
}

// maxCallers bounds how far a context is followed to those who pass it.
const maxCallers = 6

// endlessContext reports whether a context comes from nothing but roots that
// were given no deadline, also by way of all callers of f.
func (e *engine) endlessContext(f *function, ctx ssa.Value, depth int) bool {
	if ctx == nil || depth > maxCallers {
		return false
	}
	os := e.trace.Of(ctx)
	for _, o := range os {
		switch {
		case o.Bounded || o.Maybe:
			return false
		case o.Kind == provenance.Fresh, o.Kind == provenance.Absent:
		case o.Kind == provenance.Param:
			owner := e.bySSA[o.Fn]
			if owner == nil || owner.parent != nil || len(owner.in) == 0 || !provenance.IsContext(o.Fn.Params[o.Index].Type()) {
				return false
			}
			for _, in := range owner.in {
				if in.handed || o.Index >= len(in.target.Args) || !e.endlessContext(in.from, in.target.Args[o.Index], depth+1) {
					return false
				}
			}
		default:
			return false
		}
	}
	return len(os) > 0
}

// withoutTimeout reports whether an *http.Client is the default one, or a
// literal made here that sets neither a timeout nor a transport of its own.
func withoutTimeout(client ssa.Value) bool {
	if load, ok := client.(*ssa.UnOp); ok {
		g, ok := load.X.(*ssa.Global)
		return ok && g.Name() == "DefaultClient" && g.Pkg.Pkg.Path() == "net/http"
	}
	a, ok := client.(*ssa.Alloc)
	if !ok {
		return false
	}
	for _, ref := range *a.Referrers() {
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			if name := fieldName(a.Type(), ref.Field); name == "Timeout" || name == "Transport" {
				return false
			}
		case *ssa.Call, *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}
