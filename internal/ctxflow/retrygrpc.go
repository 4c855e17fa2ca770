package ctxflow

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strconv"
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

// dials reads the service configs of the package.
func (e *engine) dials() []*dialopt.Config {
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

// maxConfig bounds the text of a config in a fact.
const maxConfig = 8 << 10

// dialText is a config as a fact keeps it: the client's limit on attempts, 0
// for the usual one, and after it the text.
func dialText(c *dialopt.Config) string {
	return fmt.Sprintf("%d %s", c.Client.MaxCallAttempts, c.Text)
}

// parseDial reads what dialText writes.
func parseDial(s string) *retry.ServiceConfig {
	limit, text, _ := strings.Cut(s, " ")
	n, _ := strconv.Atoi(limit) // dialText has written it
	return retry.ParseServiceConfig(text, retry.Client{MaxCallAttempts: n})
}

// dialsOf are the configs, as dialText writes them, with which f, or what it
// calls for a connection, dials.
func (e *engine) dialsOf(f *function) []string {
	if f.dials != nil {
		return *f.dials
	}
	var out []string
	f.dials = &out
	for _, c := range e.dials() {
		if c.In != nil && f.obj != nil && c.In.Origin() == f.obj.Origin() && len(c.Text.String()) < maxConfig {
			out = append(out, dialText(c))
		}
	}
	if f.ssa.Signature.Results().Len() > 0 {
		for _, g := range f.out {
			out = append(out, e.dialsBehind(g.target)...)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out
}

// dialsBehind are those of a function that is called.
func (e *engine) dialsBehind(t callee.Target) []string {
	if g := e.bySSA[t.Fn]; t.Fn != nil && g != nil {
		return e.dialsOf(g)
	}
	if t.Obj == nil || !e.mayBeOwn(t.Obj.Pkg()) {
		return nil
	}
	if fact := e.importedFact(t.Obj); fact != nil {
		return fact.Dials
	}
	return nil
}

// configsInSight are all that the package dials with, or calls a function for.
func (e *engine) configsInSight() []*retry.ServiceConfig {
	if e.configsRead {
		return e.configs
	}
	e.configsRead = true
	for _, c := range e.dials() {
		e.configs = append(e.configs, c.Parsed)
	}
	var texts []string
	for _, f := range e.funcs {
		for _, g := range f.out {
			if g.to == nil {
				texts = append(texts, e.dialsBehind(g.target)...)
			}
		}
	}
	slices.Sort(texts)
	for _, text := range slices.Compact(texts) {
		e.configs = append(e.configs, parseDial(text))
	}
	return e.configs
}

// stubLayer is the layer that a service config puts over a call of a generated
// client's method, or nil.
func (e *engine) stubLayer(cs *callsite, t callee.Target) (l *layer, fullMethod string) {
	if t.Obj == nil || !isStub(t.Obj) {
		return nil, ""
	}
	fullMethod = e.fullMethod(t.Obj)
	if !strings.HasPrefix(fullMethod, "/") || strings.Count(fullMethod, "/") != 2 {
		return nil, ""
	}
	service := strings.Split(fullMethod, "/")[1]
	for _, c := range e.configsInSight() {
		if !slices.Contains(c.Services(), service) {
			continue
		}
		l = larger(l, e.configLayer(cs, c, fullMethod))
	}
	if l == nil && len(t.Args) > 0 {
		for _, c := range e.connectionConfigs(t.Args[0]) {
			l = larger(l, e.configLayer(cs, c, fullMethod))
		}
	}
	return l, fullMethod
}

func larger(a, b *layer) *layer {
	if a == nil || b != nil && b.attempts().Worst() > a.attempts().Worst() {
		return b
	}
	return a
}

func (e *engine) configLayer(cs *callsite, c *retry.ServiceConfig, fullMethod string) *layer {
	m := c.Method(fullMethod)
	if m.Policy == nil || m.Policy.Attempts < 2 || m.Policy.Codes == 0 {
		return nil
	}
	lay := m.Policy.Layer(c.Throttle)
	return &layer{
		name: "the service config for " + fullMethod, posn: e.shortPosition(cs.instr.Pos()), pos: cs.instr.Pos(),
		count: known(lay.Attempts), retries: lay.Retries, gives: way{Mapping: lay.Gives}, throttle: lay.Throttle != nil,
	}
}

// connectionConfigs are those with which the connection of a stub is seen to
// be dialled: the stub is what NewXClient makes of it.
func (e *engine) connectionConfigs(stub ssa.Value) []*retry.ServiceConfig {
	var out []*retry.ServiceConfig
	for _, made := range e.madeBy(stub, 0) {
		fn, ok := calledObject(made)
		if !ok || !strings.HasPrefix(fn.Name(), "New") || len(made.Call.Args) == 0 {
			continue
		}
		for _, dial := range e.madeBy(made.Call.Args[0], 0) {
			for _, t := range e.calls.Targets(&dial.Call) {
				for _, text := range e.dialsBehind(t) {
					out = append(out, parseDial(text))
				}
				if t.Obj != nil && t.Obj.Pkg() != nil && t.Obj.Pkg().Path() == "google.golang.org/grpc" {
					if f := e.bySSA[dial.Parent()]; f != nil {
						for _, text := range e.dialsOf(f.named) {
							out = append(out, parseDial(text))
						}
					}
				}
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
