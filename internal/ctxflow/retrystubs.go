package ctxflow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/callee"
)

// This file asks which services are called on a connection: those of the stubs
// that are made from it.

// calledOn lists the services whose stubs are made from the connection that a
// call gives. only is set if it goes nowhere else, so that no other is called.
func (e *engine) calledOn(dial *ssa.Call) (services []string, only bool) {
	only = true
	var follow func(conn ssa.Value, depth int)
	follow = func(conn ssa.Value, depth int) {
		if conn.Referrers() == nil || depth > 4 {
			only = false
			return
		}
		for _, ref := range *conn.Referrers() {
			switch ref := ref.(type) {
			case *ssa.MakeInterface:
				follow(ref, depth+1)
			case *ssa.DebugRef:
			case ssa.CallInstruction:
				if onlyWatches(ref, conn) {
					continue
				}
				service := e.stubService(ref)
				if service == "" {
					only = false
				} else if !slices.Contains(services, service) {
					services = append(services, service)
				}
			default:
				only = false
			}
		}
	}
	for _, ref := range *dial.Referrers() {
		if ex, ok := ref.(*ssa.Extract); ok && ex.Index == 0 {
			follow(ex, 0)
		}
	}
	slices.Sort(services)
	return services, only && len(services) > 0
}

// onlyWatches reports whether a call is of a method of the connection that makes
// no calls of services: Close, Connect, GetState.
func onlyWatches(c ssa.CallInstruction, conn ssa.Value) bool {
	obj, ok := calledObject(c)
	args := c.Common().Args
	return ok && obj.Signature().Recv() != nil && len(args) > 0 && args[0] == conn && obj.Name() != "Invoke" && obj.Name() != "NewStream"
}

// stubService is the service of the stub that a call makes of a connection, or
// "" if it makes none.
func (e *engine) stubService(c ssa.CallInstruction) string {
	obj, ok := calledObject(c)
	if !ok || obj.Signature().Recv() != nil || obj.Signature().Results().Len() != 1 || len(c.Common().Args) != 1 {
		return ""
	}
	n := callee.Named(obj.Signature().Results().At(0).Type())
	if n == nil || obj.Name() != "New"+n.Obj().Name() {
		return ""
	}
	iface, ok := n.Underlying().(*types.Interface)
	if !ok {
		return ""
	}
	for m := range iface.Methods() {
		if isStub(m) {
			if parts := strings.Split(e.fullMethod(m), "/"); len(parts) == 3 {
				return parts[1]
			}
		}
	}
	return ""
}
