// Package request recognises the functions that start a request, by type
// alone: handlers and interceptors by their shape, methods of well-known
// interfaces, and implementations of the server interfaces that code
// generators register. Which shapes and interfaces there are is the catalog's
// business.
package request

import (
	"go/types"

	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/provenance"
)

// Root says how a function starts a request.
type Root struct {
	Name  string        // what it is: "net/http handler", "gRPC method"
	Grade finding.Grade // GradeRequest, or GradeContract for commands and the like
	Param int           // the parameter that is or provides the context, the receiver not counted; catalog.None if there is none
}

// Roots answers for the functions of one package.
type Roots struct {
	catalog *catalog.Catalog
	methods map[*types.Func]Root // methods of implementations of generated servers
}

// New finds the implementations of generated server interfaces in pkg.
func New(c *catalog.Catalog, pkg *types.Package) *Roots {
	r := &Roots{catalog: c, methods: map[*types.Func]Root{}}
	servers := r.serverInterfaces(pkg)
	if len(servers) == 0 {
		return r
	}
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		if tn, ok := scope.Lookup(name).(*types.TypeName); ok && !tn.IsAlias() && !types.IsInterface(tn.Type()) {
			r.addImplementation(tn.Type(), servers)
		}
	}
	return r
}

// server is a generated interface, and what its methods are called.
type server struct {
	iface *types.Named
	name  string
}

// serverInterfaces lists the generated interfaces that pkg can see.
func (r *Roots) serverInterfaces(pkg *types.Package) []server {
	var out []server
	for _, p := range append([]*types.Package{pkg}, pkg.Imports()...) {
		scope := p.Scope()
		for _, name := range scope.Names() {
			fn, ok := scope.Lookup(name).(*types.Func)
			if !ok {
				continue
			}
			if iface, name, ok := r.catalog.ServiceInterface(fn); ok {
				out = append(out, server{iface, name})
			}
		}
	}
	return out
}

func (r *Roots) addImplementation(t types.Type, servers []server) {
	named, ok := t.(*types.Named)
	if !ok || named.TypeParams().Len() > 0 || named.NumMethods() == 0 {
		return
	}
	for _, server := range servers {
		iface := server.iface.Underlying().(*types.Interface)
		if server.iface.Obj().Pkg() == named.Obj().Pkg() || !types.Implements(types.NewPointer(named), iface) {
			// A type of the generated package itself is the generator's stub.
			continue
		}
		for m := range named.Methods() {
			if declares(iface, m.Name()) {
				r.methods[m] = Root{Name: server.name, Grade: finding.GradeRequest, Param: contextParam(m.Signature())}
			}
		}
	}
}

func declares(iface *types.Interface, name string) bool {
	for m := range iface.Methods() {
		if m.Name() == name {
			return true
		}
	}
	return false
}

// contextParam is the first parameter that is or provides a context.
func contextParam(sig *types.Signature) int {
	for i := range sig.Params().Len() {
		if provenance.Carries(sig.Params().At(i).Type()) {
			return i
		}
	}
	return catalog.None
}

// Of says whether a function starts a request. obj is nil for closures.
func (r *Roots) Of(obj *types.Func, sig *types.Signature) (Root, bool) {
	if obj != nil {
		if root, ok := r.methods[obj]; ok {
			return root, true
		}
		if ctx, ok := r.catalog.Handler(obj); ok {
			return Root{Name: "declared handler", Grade: finding.GradeRequest, Param: ctx}, true
		}
		if root, ok := r.catalog.RootMethod(obj); ok {
			return Root{Name: root.Name, Grade: root.Grade, Param: root.Ctx}, true
		}
	}
	if root, ok := r.catalog.RootOf(sig); ok {
		return Root{Name: root.Name, Grade: root.Grade, Param: root.Ctx}, true
	}
	return Root{}, false
}
