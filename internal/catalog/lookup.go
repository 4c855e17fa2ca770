package catalog

import (
	"go/types"
	"strings"
)

// Func finds the most precise line about a function or method. It does not
// allocate.
func (c *Catalog) Func(fn *types.Func) (Entry, bool) {
	return entry(c.find(fn, receiverType(fn)), fn)
}

// Method is Func for a call whose receiver has the static type recv, which
// matters where a method is promoted: a Get of go-redis's Pipeliner only
// queues, and a Get of its Client waits, although both are the same function
// of an embedded interface. A line about recv's type comes first.
func (c *Catalog) Method(recv types.Type, fn *types.Func) (Entry, bool) {
	if obj := typeName(recv); obj != nil && obj.Pkg() != nil {
		if e := c.packages[obj.Pkg().Path()].method(obj.Name(), fn); e != nil {
			return entry(e, fn)
		}
	}
	return c.Func(fn)
}

// HasPackage reports whether the built-in tables name the package, or a tree
// that holds it. Such a package is a library that ctxprop knows, never the
// user's own code. The flag's lines do not count: a line about one function of
// the user's own package must not take the rest of it out of the analysis.
func (c *Catalog) HasPackage(path string) bool {
	if c.builtin[path] {
		return true
	}
	for tree := path; tree != ""; tree = parent(tree) {
		if c.builtin[tree+"/..."] {
			return true
		}
	}
	return false
}

// Handler is the parameter that is or provides the context of a function which
// a line declares to start a request.
func (c *Catalog) Handler(fn *types.Func) (ctx int, ok bool) {
	e := c.marked(Handler, fn)
	if e == nil {
		return None, false
	}
	if e.Ctx == Deduced {
		return providerParam(fn.Signature()), true
	}
	return e.ContextArg(fn.Signature()), true
}

// Expensive reports whether a line says that fn works long.
func (c *Catalog) Expensive(fn *types.Func) bool { return c.marked(Expensive, fn) != nil }

func (c *Catalog) marked(kind Kind, fn *types.Func) *Entry {
	if len(c.marks) == 0 || fn == nil || fn.Pkg() == nil {
		return nil
	}
	return c.marks[mark{kind, symbolOf(fn).identity()}]
}

// entry is the line as it speaks of fn.
func entry(e *Entry, fn *types.Func) (Entry, bool) {
	if e == nil {
		return Entry{}, false
	}
	found := *e
	if strings.Contains(e.Use, wildcard) {
		found.Use = e.sibling(fn)
	}
	return found, true
}

func (c *Catalog) find(fn *types.Func, recv *types.TypeName) *Entry {
	if fn.Pkg() == nil { // error.Error
		return nil
	}
	path := fn.Pkg().Path()
	if lines := c.packages[path]; lines != nil {
		if e := lines.find(fn, recv); e != nil {
			return e
		}
	}
	for tree := path; tree != ""; tree = parent(tree) {
		if lines := c.trees[tree]; lines != nil {
			if e := lines.find(fn, recv); e != nil {
				return e
			}
		}
	}
	return nil
}

func (l *packageLines) find(fn *types.Func, recv *types.TypeName) *Entry {
	if recv != nil {
		if e := l.method(recv.Name(), fn); e != nil {
			return e
		}
	} else if e := l.member("", fn); e != nil {
		return e
	}
	if l.twins.covers(fn) {
		return l.twins
	}
	if l.whole.covers(fn) {
		return l.whole
	}
	return nil
}

// method finds a line about fn as a method of the type with this name.
func (l *packageLines) method(recv string, fn *types.Func) *Entry {
	if l == nil {
		return nil
	}
	if e := l.member(recv, fn); e != nil {
		return e
	}
	if e := l.byName[memberName{recv, wildcard}]; e.covers(fn) {
		return e
	}
	return nil
}

// member finds a line about the name of fn, written out or with a * in it.
func (l *packageLines) member(recv string, fn *types.Func) *Entry {
	if e := l.byName[memberName{recv, fn.Name()}]; e != nil {
		return e
	}
	for _, e := range l.patterns {
		if _, ok := matchName(e.Symbol.Name, fn.Name()); ok && e.Symbol.Recv == recv && e.covers(fn) {
			return e
		}
	}
	return nil
}

// covers reports whether a line about a whole type, package or tree speaks of
// fn, which is in it: a block line does only if fn has a context to honour, and
// a twin line only if the sibling is there.
func (e *Entry) covers(fn *types.Func) bool {
	switch {
	case e == nil:
		return false
	case e.Kind == Quiet:
		return true
	case e.Kind == Twin:
		return contextParam(fn.Signature()) == None && contextSibling(fn, e.sibling(fn)) != nil
	}
	return e.ContextArg(fn.Signature()) != None
}

// sibling is what use= names, for fn.
func (e *Entry) sibling(fn *types.Func) string { return strings.Replace(e.Use, wildcard, fn.Name(), 1) }

// contextSibling is the method of the same receiver, or the function of the
// same package, of this name, if it takes a context.
func contextSibling(fn *types.Func, name string) *types.Func {
	var obj types.Object
	if recv := fn.Signature().Recv(); recv != nil {
		obj, _, _ = types.LookupFieldOrMethod(recv.Type(), true, fn.Pkg(), name)
	} else {
		obj = fn.Pkg().Scope().Lookup(name)
	}
	sibling, ok := obj.(*types.Func)
	if !ok || contextParam(sibling.Signature()) == None {
		return nil
	}
	return sibling
}

// parent cuts the last element off a package path.
func parent(path string) string {
	return path[:max(strings.LastIndexByte(path, '/'), 0)]
}

// receiverType is the named type whose method fn is, or nil.
func receiverType(fn *types.Func) *types.TypeName {
	recv := fn.Signature().Recv()
	if recv == nil {
		return nil
	}
	return typeName(recv.Type())
}

// typeName is the name of t, or of what t points to, or nil.
func typeName(t types.Type) *types.TypeName {
	t = types.Unalias(t)
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj()
	}
	return nil
}
