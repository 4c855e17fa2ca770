package ctxflow

import (
	"go/types"

	"github.com/ctxprop/ctxprop/internal/callee"
)

// implementers lists the bodies that a call of an interface method can run in
// this package, if the package declares the interface: then its own
// implementations tell better than the signature whether the method blocks.
// Those in test files do not count, for they stand in for real ones.
func (e *engine) implementers(m *types.Func) []*function {
	if impls, ok := e.impls[m]; ok {
		return impls
	}
	impls := e.findImplementers(m)
	e.impls[m] = impls
	return impls
}

func (e *engine) findImplementers(m *types.Func) []*function {
	recv := m.Signature().Recv()
	if recv == nil || m.Pkg() != e.pass.Pkg {
		return nil
	}
	iface, ok := recv.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var out []*function
	for _, f := range e.funcs {
		if f.obj == nil || f.obj.Name() != m.Name() || f.obj.Signature().Recv() == nil || e.inTest(f.pos()) {
			continue
		}
		n := callee.Named(f.obj.Signature().Recv().Type())
		if n != nil && n.TypeParams().Len() == 0 && types.Implements(types.NewPointer(n), iface) {
			out = append(out, f)
		}
	}
	return out
}

// implemented gives what a call of an interface method blocks on according to
// the implementations in this package. ok is false if there are none.
func (e *engine) implemented(t callee.Target) (args []blockingArg, ok bool) {
	if !t.Invoked || t.Obj == nil {
		return nil, false
	}
	impls := e.implementers(t.Obj)
	for _, f := range impls {
		for i, arg := range t.Args {
			if sink, blocks := f.blocks[paramKey{f.ssa, i}]; blocks {
				sink.Key, sink.Name = t.Obj.FullName(), callee.ShortName(t.Obj)
				return []blockingArg{{arg, sink}}, true
			}
		}
	}
	return nil, len(impls) > 0
}
