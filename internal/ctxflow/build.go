package ctxflow

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ctxprop/ctxprop/internal/catalog"
	"github.com/ctxprop/ctxprop/internal/dialopt"
	"github.com/ctxprop/ctxprop/internal/provenance"
	"github.com/ctxprop/ctxprop/internal/retry"
)

// matters is one pass over the package's uses: SSA is worth building only if
// something in it touches a context, a catalogued function or an own function
// with a summary. What a package without any of these does cannot differ from
// what its signatures say.
func (e *engine) matters() bool {
	e.imported = map[*types.Func]*Fact{}
	seen := map[types.Object]bool{}
	for _, obj := range e.pass.TypesInfo.Uses {
		if seen[obj] {
			continue
		}
		seen[obj] = true
		switch obj := obj.(type) {
		case *types.Func:
			if e.funcMatters(obj.Origin()) {
				return true
			}
		case *types.TypeName:
			if _, ok := e.catalog.Provider(obj.Type()); ok || provenance.Carries(obj.Type()) || provenance.Carries(types.NewPointer(obj.Type())) {
				return true
			}
		}
	}
	return false
}

func (e *engine) funcMatters(fn *types.Func) bool {
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) && e.mayBeOwn(fn.Pkg()) {
		return true // the program's view follows it to what implements it
	}
	if entry, ok := e.catalog.Func(fn); ok && entry.Kind != catalog.Quiet && entry.Kind != catalog.NoReturn {
		return true
	}
	if retry.FuncPolicy(fn.FullName()) != nil || dialopt.IsSink(fn) {
		return true
	}
	params := fn.Signature().Params()
	for i := range params.Len() {
		if _, ok := e.catalog.Provider(params.At(i).Type()); ok || provenance.IsContext(params.At(i).Type()) {
			return true
		}
	}
	return e.importedFact(fn) != nil
}

// mayBeOwn is the part of the own-code rule that import paths tell.
func (e *engine) mayBeOwn(p *types.Package) bool {
	return p != nil && !isStd(p.Path()) && !e.catalog.HasPackage(p.Path())
}

// build makes the package's SSA. It is ours and not buildssa's, because that
// analyzer's ctrlflow has facts and so forces every dependency to be loaded
// from source. SSA packages exist for direct imports only; the methods of
// others are made on demand by go/ssa.
func (e *engine) build() *ssa.Package {
	prog := ssa.NewProgram(e.pass.Fset, ssa.BuilderMode(0))
	prog.SetNoReturn(func(fn *types.Func) bool {
		entry, ok := e.catalog.Func(fn.Origin())
		return ok && entry.Kind == catalog.NoReturn
	})
	for _, p := range e.pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	pkg := prog.CreatePackage(e.pass.Pkg, e.pass.Files, e.pass.TypesInfo, false)
	pkg.Build()
	return pkg
}

// sourceFuncs lists the functions that have source in the package, closures
// after the function they are in, in the order of the files.
func sourceFuncs(pkg *ssa.Package, files []*ast.File, info *types.Info) []*ssa.Function {
	var out []*ssa.Function
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		out = append(out, fn)
		for _, anon := range fn.AnonFuncs {
			add(anon)
		}
	}
	for _, f := range files {
		for _, decl := range f.Decls {
			fd, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if obj, ok := info.Defs[fd.Name].(*types.Func); ok {
				if fn := pkg.Prog.FuncValue(obj); fn != nil && fn.Blocks != nil {
					add(fn)
				}
			}
		}
	}
	add(pkg.Func("init")) // initializers of package variables, with their closures
	return out
}
