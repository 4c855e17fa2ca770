package conformance

import (
	"errors"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/ctxprop/ctxprop/internal/catalog"
)

// verifier checks single lines.
type verifier struct {
	catalog   *catalog.Catalog
	libraries map[string]*library
}

// verify returns what is wrong with a line about functions, or nil, and the
// library that it is about.
func (v *verifier) verify(e catalog.Entry) (*library, error) {
	if e.Symbol.Tree {
		return v.tree(e)
	}
	lib := v.libraries[e.Symbol.Pkg]
	if lib == nil {
		return nil, fmt.Errorf("there is no package %s", e.Symbol.Pkg)
	}
	if e.Symbol.Wide() {
		return lib, v.wide(lib, e)
	}
	fn, err := lib.function(e.Symbol)
	if err != nil {
		return lib, err
	}
	if e.Kind == catalog.Expensive {
		return lib, want(v.catalog.Expensive(fn), "a look-up does not find this line")
	}
	if found, _ := v.catalog.Func(fn); found.Symbol != e.Symbol {
		return lib, fmt.Errorf("a look-up of %v finds the line of %v", fn, found.Symbol)
	}
	return lib, v.kind(lib, e, fn)
}

// tree finds a library in the tree of a line, one of whose functions it is
// about. A tree of which the others' lines speak is there to take packages out
// of the analysis.
func (v *verifier) tree(e catalog.Entry) (*library, error) {
	var first *library
	for _, path := range slices.Sorted(maps.Keys(v.libraries)) {
		if path != e.Symbol.Pkg && !strings.HasPrefix(path, e.Symbol.Pkg+"/") {
			continue
		}
		lib := v.libraries[path]
		if slices.ContainsFunc(lib.functions(), func(fn *types.Func) bool { return v.finds(e, fn) }) {
			return lib, nil
		}
		if first == nil {
			first = lib
		}
	}
	switch {
	case first == nil:
		return nil, fmt.Errorf("there is no package in %v", e.Symbol)
	case e.Kind != catalog.Quiet || e.Symbol.Name != "*":
		return first, errors.New("no function is described by this line")
	}
	return first, nil
}

func (v *verifier) finds(e catalog.Entry, fn *types.Func) bool {
	found, _ := v.catalog.Func(fn)
	return found.Symbol == e.Symbol && found.Kind == e.Kind
}

// wide checks a line about a type or a package: it must be the line that a
// look-up of one of its functions finds, or it says nothing.
func (v *verifier) wide(lib *library, e catalog.Entry) error {
	fns := lib.functions()
	if e.Symbol.Recv != "" {
		named := lib.named(e.Symbol.Recv)
		if named == nil {
			return fmt.Errorf("there is no type %s", e.Symbol.Recv)
		}
		fns = methods(named)
		if pointer := anyPointerReceiver(fns); pointer != e.Symbol.Pointer {
			return fmt.Errorf("spelled wrong: a method has a pointer receiver: %t", pointer)
		}
		if e.Symbol.Name == "*" && promotes(named) {
			return nil // its line is for methods found by the receiver's static type
		}
	}
	for _, fn := range fns {
		if v.finds(e, fn) {
			return nil
		}
	}
	return errors.New("no function is described by this line")
}

// promotes reports whether a type has methods that embedded types declare.
func promotes(named *types.Named) bool {
	if iface, ok := named.Underlying().(*types.Interface); ok {
		return iface.NumEmbeddeds() > 0
	}
	return types.NewMethodSet(types.NewPointer(named)).Len() > named.NumMethods()
}

func anyPointerReceiver(fns []*types.Func) bool {
	for _, fn := range fns {
		if pointerReceiver(fn) {
			return true
		}
	}
	return false
}

func pointerReceiver(fn *types.Func) bool {
	_, ok := types.Unalias(fn.Signature().Recv().Type()).(*types.Pointer)
	return ok
}

// function finds the function of an exact symbol, spelled as it is declared.
func (l *library) function(s catalog.Symbol) (*types.Func, error) {
	if s.Recv == "" {
		fn, ok := l.types.Scope().Lookup(s.Name).(*types.Func)
		if !ok {
			return nil, fmt.Errorf("there is no function %s", s.Name)
		}
		return fn, nil
	}
	named := l.named(s.Recv)
	if named == nil {
		return nil, fmt.Errorf("there is no type %s", s.Recv)
	}
	fn := methodNamed(named, s.Name)
	if fn == nil {
		return nil, fmt.Errorf("%s itself declares no method %s", s.Recv, s.Name)
	}
	if pointer := pointerReceiver(fn); pointer != s.Pointer {
		return nil, fmt.Errorf("spelled wrong: pointer receiver: %t", pointer)
	}
	return fn, nil
}

// kind checks that the function can do what the line says.
func (v *verifier) kind(lib *library, e catalog.Entry, fn *types.Func) error {
	sig := fn.Signature()
	switch e.Kind {
	case catalog.Fresh:
		return want(returnsContext(sig) && contextParam(sig) < 0, "it takes a context or returns none")
	case catalog.Derive, catalog.Detach:
		return want(returnsContext(sig) && takesContext(e, sig), "it takes no context or returns none")
	case catalog.Carry:
		return want(sig.Results().Len() > 0 && takesContext(e, sig), "it takes no context or returns nothing")
	case catalog.Bare:
		return v.sibling(lib, e)
	case catalog.Block:
		if err := want(takesContext(e, sig), "it takes no context"); err != nil || e.Fn < 0 {
			return err
		}
		return want(callsFunction(e, sig), "it takes no function")
	case catalog.Wait:
		return want(contextParam(sig) < 0, "it takes a context")
	case catalog.Twin:
		if contextParam(sig) >= 0 {
			return errors.New("it takes a context")
		}
		return v.sibling(lib, e)
	case catalog.NoReturn:
		return want(sig.Results().Len() == 0, "it has results")
	case catalog.Spawn:
		if err := v.awaited(e); err != nil {
			return err
		}
		return want(callsFunction(e, sig), "it takes no function")
	case catalog.Sync, catalog.Later, catalog.Shared, catalog.Retry:
		return want(callsFunction(e, sig), "it takes no function")
	}
	return nil
}

func want(ok bool, otherwise string) error {
	if ok {
		return nil
	}
	return errors.New(otherwise)
}

// sibling checks use=: a sibling exists, and takes or provides a context.
func (v *verifier) sibling(lib *library, e catalog.Entry) error {
	if e.Use == "" {
		return nil
	}
	fn := lib.sibling(e)
	if fn == nil {
		return fmt.Errorf("there is no use=%s", e.Use)
	}
	if e.Kind == catalog.Bare {
		found, _ := v.catalog.Func(fn)
		return want(found.Kind == catalog.Carry, "use= names what has no carry line")
	}
	return want(providerParam(fn.Signature()) >= 0, "use= takes no context")
}

// awaited checks wait=: a join line about the same receiver.
func (v *verifier) awaited(e catalog.Entry) error {
	if e.Wait == "" {
		return nil
	}
	for _, other := range v.catalog.Entries() {
		s := other.Symbol
		if s.Pkg == e.Symbol.Pkg && s.Recv == e.Symbol.Recv && s.Name == e.Wait && other.Join {
			return nil
		}
	}
	return fmt.Errorf("there is no line: wait … join for wait=%s", e.Wait)
}
