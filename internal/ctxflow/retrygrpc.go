package ctxflow

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
	"github.com/ctxprop/ctxprop/internal/dialopt"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// This file puts the retries of gRPC service configs on the paths: which
// method a stub calls, and which policy holds for it.
//
// A config names services, so that the name tells which stubs it is for, as
// long as the code that uses the stub has to do with the code that dials. A
// policy for all methods counts only where the stub's connection is seen to
// come from that dial.

// configsRead are the service configs of the package that do anything.
func (e *engine) configsRead() []*dialopt.Config {
	if e.dialsRead {
		return e.dialConfigs
	}
	e.dialsRead = true
	for _, c := range dialopt.Find(e.pass).Configs {
		// With a limit that is not known, nor is what a policy does.
		if c.DisableRetry == nil && c.Replaced == nil && !c.Client.LimitUnknown && len(c.Parsed.Services()) > 0 {
			e.dialConfigs = append(e.dialConfigs, c)
		}
	}
	return e.dialConfigs
}

// dialsInSight are all clients that the package makes, or calls a function for.
func (e *engine) dialsInSight() []*dialled {
	if e.dialsKnown {
		return e.allDials
	}
	e.dialsKnown, e.allDials = true, nil
	seen := map[string]bool{}
	for _, f := range e.funcs {
		for _, d := range e.dialsOf(f) {
			if key := fmt.Sprintf("%s:%d %d", d.posn.Filename, d.posn.Line, len(d.through)); d.config != nil && !seen[key+d.text] {
				seen[key+d.text] = true
				e.allDials = append(e.allDials, d)
			}
		}
	}
	for _, c := range e.configsRead() {
		if c.In == nil { // a package variable's
			e.allDials = append(e.allDials, e.configured(c))
		}
	}
	return e.allDials
}

// stubPath is the path through a generated client's method, with the retries
// of the client's connection over it, or nil if t is none.
func (e *engine) stubPath(f *function, cs *callsite, t callee.Target) *retryPath {
	if t.Obj == nil || !isStub(t.Obj) {
		return nil
	}
	fullMethod := e.fullMethod(t.Obj)
	if !strings.HasPrefix(fullMethod, "/") || strings.Count(fullMethod, "/") != 2 {
		return nil
	}
	sink := Sink{Key: fullMethod, Name: t.Name(), Class: "rpc", Known: true}
	bare := &retryPath{index: -1, enters: straight, sink: sink, method: fullMethod}
	worst := bare
	opts := e.callOptions(t)
	for _, d := range e.dialsFor(t, strings.Split(fullMethod, "/")[1]) {
		p := *bare
		if d.config != nil && !unbuffered(opts) {
			if policy := d.config.Method(fullMethod).Policy; policy != nil && policy.Attempts > 1 && policy.Codes != 0 {
				p.layers = []*layer{e.configLayer(d, "the service config for "+fullMethod, policy)}
			}
		}
		if q := e.over(d, &p, opts); q.attempts().Worst() > worst.attempts().Worst() {
			worst = q
		}
	}
	for _, l := range worst.layers {
		l.home = f.key()
	}
	return worst
}

// dialsFor are the clients that a stub's connection may be: those that its
// value is seen to come from, else all whose config names the service.
func (e *engine) dialsFor(t callee.Target, service string) []*dialled {
	if len(t.Args) > 0 {
		if ds := e.connectionDials(t.Args[0]); len(ds) > 0 {
			return ds
		}
	}
	return slices.DeleteFunc(slices.Clone(e.dialsInSight()), func(d *dialled) bool { return !slices.Contains(d.config.Services(), service) })
}

// callOptions are the options of one call.
func (e *engine) callOptions(t callee.Target) options {
	if len(t.Args) == 0 || !isGRPC(listOf(t.Args[len(t.Args)-1].Type()), "CallOption") {
		return nil
	}
	return slices.DeleteFunc(e.optionsOf(t.Args[len(t.Args)-1], 0), func(o option) bool { return o.call == nil })
}

// unbuffered reports whether a call keeps no copy of what it sends, without
// which grpc-go retries nothing.
func unbuffered(opts options) bool {
	return slices.ContainsFunc(opts, func(o option) bool {
		obj, ok := calledObject(o.call)
		if !ok || obj.Name() != "MaxRetryRPCBufferSize" || len(o.call.Call.Args) != 1 {
			return false
		}
		k, ok := o.call.Call.Args[0].(*ssa.Const)
		return ok && k.Value != nil && k.Int64() == 0
	})
}

func (e *engine) configLayer(d *dialled, name string, policy *retry.Policy) *layer {
	lay := policy.Layer(d.config.Throttle)
	return &layer{
		name: name, posn: d.posn, pos: d.pos,
		count: known(lay.Attempts), retries: lay.Retries, gives: way{Mapping: lay.Gives}, throttle: lay.Throttle != nil,
	}
}

// connectionDials are those from which the connection of a stub is seen to
// come: the stub is what NewXClient makes of it.
func (e *engine) connectionDials(stub ssa.Value) []*dialled {
	var out []*dialled
	for _, made := range e.madeBy(stub, 0) {
		fn, ok := calledObject(made)
		if !ok || !strings.HasPrefix(fn.Name(), "New") || len(made.Call.Args) == 0 {
			continue
		}
		for _, c := range e.madeBy(made.Call.Args[0], 0) {
			if dials(c) {
				out = append(out, e.clientsOf(c)...)
				continue
			}
			for _, t := range e.calls.Targets(&c.Call) {
				out = append(out, e.dialsBehind(t)...)
			}
		}
	}
	return out
}

// madeBy lists the calls that a value comes from, through locals, captures and
// unexported fields.
func (e *engine) madeBy(v ssa.Value, depth int) []*ssa.Call {
	if depth > maxCountDepth {
		return nil
	}
	all := func(vs []ssa.Value) []*ssa.Call {
		var out []*ssa.Call
		for _, v := range vs {
			out = append(out, e.madeBy(v, depth+1)...)
		}
		return out
	}
	switch v := v.(type) {
	case *ssa.Call:
		return []*ssa.Call{v}
	case *ssa.Extract:
		return e.madeBy(v.Tuple, depth+1)
	case *ssa.MakeInterface:
		return e.madeBy(v.X, depth+1)
	case *ssa.ChangeInterface:
		return e.madeBy(v.X, depth+1)
	case *ssa.Phi:
		return all(v.Edges)
	case *ssa.FreeVar:
		return all(callee.Bindings(v))
	case *ssa.Alloc:
		if vals, ok := callee.StoredIn(v); ok {
			return all(vals)
		}
	case *ssa.UnOp:
		switch a := v.X.(type) {
		case *ssa.FieldAddr:
			if vals, ok := e.fieldStores(callee.FieldOf(a)); ok {
				return all(vals)
			}
		case *ssa.Global:
			if vals, ok := e.storesTo(a); ok {
				return all(vals)
			}
		case *ssa.Alloc, *ssa.FreeVar:
			return e.madeBy(a, depth+1)
		}
	}
	return nil
}

// fullMethod is the method that a stub's method calls: by the constant beside
// it in newer generated code, else by the text in its body, which this package
// sees or has left as a fact.
func (e *engine) fullMethod(stub *types.Func) string {
	n := callee.Named(stub.Signature().Recv().Type())
	if n == nil || stub.Pkg() == nil {
		return ""
	}
	service := strings.TrimSuffix(n.Obj().Name(), "Client")
	if service != "" {
		service = string(unicode.ToUpper(rune(service[0]))) + service[1:]
	}
	if c, ok := stub.Pkg().Scope().Lookup(service + "_" + stub.Name() + "_FullMethodName").(*types.Const); ok && c.Val().Kind() == constant.String {
		return constant.StringVal(c.Val())
	}
	if stub.Pkg() == e.pass.Pkg {
		return e.stubMethods()[stub]
	}
	if fact := e.importedFact(stub); fact != nil {
		return fact.Method
	}
	return ""
}

// stubMethods are the full methods of this package's stubs that only their
// bodies tell, by the method and by that of the interface that it implements.
func (e *engine) stubMethods() map[*types.Func]string {
	if e.stubs != nil {
		return e.stubs
	}
	e.stubs = map[*types.Func]string{}
	for _, f := range e.funcs {
		if f.obj == nil || !isStub(f.obj) {
			continue
		}
		name := invoked(f.ssa)
		if name == "" {
			continue
		}
		e.stubs[f.obj] = name
		n := callee.Named(f.obj.Signature().Recv().Type())
		if n == nil || n.Obj().Name() == "" {
			continue
		}
		exported := string(unicode.ToUpper(rune(n.Obj().Name()[0]))) + n.Obj().Name()[1:]
		iface := e.pass.Pkg.Scope().Lookup(exported)
		if iface == nil {
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(iface.Type(), false, e.pass.Pkg, f.obj.Name())
		if m, ok := obj.(*types.Func); ok {
			e.stubs[m] = name
		}
	}
	return e.stubs
}

// invoked is the constant that a stub's body gives to Invoke or NewStream.
func invoked(fn *ssa.Function) string {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			c, ok := instr.(*ssa.Call)
			if !ok {
				continue
			}
			obj, ok := calledObject(c)
			if !ok || obj.Name() != "Invoke" && obj.Name() != "NewStream" {
				continue
			}
			for _, a := range c.Call.Args {
				if k, ok := a.(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.String {
					return constant.StringVal(k.Value)
				}
			}
		}
	}
	return ""
}

// exportStubs leaves the full methods of client interfaces to importing
// packages, where no constant tells them.
func (e *engine) exportStubs() {
	for m, name := range e.stubMethods() {
		if types.IsInterface(m.Signature().Recv().Type()) && m.Exported() && e.fullMethod(m) == name {
			if n := callee.Named(m.Signature().Recv().Type()); n != nil && e.pass.Pkg.Scope().Lookup(strings.TrimSuffix(n.Obj().Name(), "Client")+"_"+m.Name()+"_FullMethodName") == nil {
				e.pass.ExportObjectFact(m, &Fact{Method: name})
			}
		}
	}
}
