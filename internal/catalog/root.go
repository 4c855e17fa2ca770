package catalog

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// A Root is a shape of function, or a method of an interface, that starts a
// request.
type Root struct {
	Name  string        // what it is, for messages: "net/http handler"
	Grade finding.Grade // GradeRequest or GradeContract
	// Ctx is the parameter that is or provides the request's context. RootOf
	// and RootMethod resolve it to an index, or to None.
	Ctx int
	// Fn is, for a root that is what a function is given, the parameter of that
	// function; else Deduced.
	Fn  int
	Pos Pos

	shape  funcPattern // of a func root
	method Symbol      // of a method root, or the function that is given a root; zero for a func root
}

// String is the root's pattern or symbol in canonical spelling: two roots with
// the same are the same.
func (r Root) String() string {
	switch {
	case r.Fn != Deduced:
		return r.method.identity().String() + " fn=" + strconv.Itoa(r.Fn)
	case r.method != (Symbol{}):
		return r.method.identity().String()
	}
	return r.shape.String()
}

// Method is the interface's method that the root is about, or the function that
// is given the root. It is zero for a root that is a shape of function.
func (r Root) Method() Symbol { return r.method }

// Types lists the named types of a func root's pattern.
func (r Root) Types() []TypeName {
	var names []TypeName
	r.shape.names(func(n TypeName) { names = append(names, n) })
	return names
}

// parseRoot reads what follows the word root.
func parseRoot(rest string) (Root, error) {
	rest = strings.TrimSpace(rest)
	r := Root{Grade: finding.GradeRequest, Ctx: Deduced, Fn: Deduced}
	var err error
	after := ""
	switch {
	case strings.HasPrefix(rest, "func("):
		r.shape, after, err = parseFuncPattern(rest)
	case rest == "":
		err = fmt.Errorf("root needs a shape, func(TYPES) RESULTS, an interface's method, (pkg/path.Interface).Method, or with fn=N a function that is given the root")
	default:
		var word string
		word, after = nextWord(rest)
		r.method, err = parseSymbol(word)
		if err == nil && r.method.Wide() {
			err = fmt.Errorf("root needs one method, not %v", r.method)
		}
	}
	if err == nil {
		err = r.parseAttributes(after)
	}
	switch {
	case err != nil:
		return r, err
	case r.Fn != Deduced && (r.method == Symbol{} || r.Ctx != Deduced):
		return r, fmt.Errorf("fn= is for a function that is given the root, and goes without ctx=")
	case r.Fn == Deduced && r.method != Symbol{} && r.method.Recv == "":
		return r, fmt.Errorf("root needs fn=N, the parameter of %v that is the root; a shape is written func(TYPES) RESULTS, an interface's method (pkg/path.Interface).Method", r.method)
	case r.Name == "":
		return r, fmt.Errorf(`root needs name="what it is"`)
	}
	return r, nil
}

func (r *Root) parseAttributes(rest string) error {
	seen := map[string]bool{}
	for word, rest := nextWord(rest); word != ""; word, rest = nextWord(rest) {
		name, value, _ := strings.Cut(word, "=")
		if seen[name] {
			return fmt.Errorf("attribute %q is given twice: remove one", name)
		}
		seen[name] = true
		if err := r.set(name, value); err != nil {
			return err
		}
	}
	return nil
}

func (r *Root) set(name, value string) (err error) {
	switch name {
	case "name":
		if r.Name, err = strconv.Unquote(value); err != nil {
			err = fmt.Errorf(`name=%s is malformed: write name="what it is"`, value)
		}
	case "ctx":
		r.Ctx, err = parseIndex("ctx", value)
	case "fn":
		r.Fn, err = parseIndex("fn", value)
	case "grade":
		if err = r.Grade.UnmarshalText([]byte(value)); err != nil || r.Grade == finding.GradeNone {
			err = fmt.Errorf("unknown grade %q: use R or C", value)
		}
	default:
		err = fmt.Errorf("unknown attribute %q: root can have ctx=, fn=, grade=, name=", name)
	}
	return err
}

// RootOf finds the root whose shape a function of this signature has, closures
// and methods included. The root's Ctx is resolved.
func (c *Catalog) RootOf(sig *types.Signature) (Root, bool) {
	for i := range c.shapes {
		if c.shapes[i].shape.matchSignature(sig) {
			return c.shapes[i].resolve(sig), true
		}
	}
	return Root{}, false
}

// RootMethod finds the root whose interface's method fn implements. Only
// interfaces of fn's package and of those it imports are considered: a method
// that names a type of the interface's package lives in one that imports it.
func (c *Catalog) RootMethod(fn *types.Func) (Root, bool) {
	recv := fn.Signature().Recv()
	if recv == nil || fn.Pkg() == nil {
		return Root{}, false
	}
	for i := range c.methods {
		r := &c.methods[i]
		if r.method.Name != fn.Name() {
			continue
		}
		iface := interfaceIn(fn.Pkg(), r.method)
		if iface != nil && implements(recv.Type(), iface) {
			return r.resolve(fn.Signature()), true
		}
	}
	return Root{}, false
}

// RootArgument tells which argument of a call of fn, the receiver not counted,
// is a root, in the root's Fn: a function, or a value whose methods are.
func (c *Catalog) RootArgument(fn *types.Func) (Root, bool) {
	if len(c.callbacks) == 0 || fn.Pkg() == nil {
		return Root{}, false
	}
	r, ok := c.callbacks[symbolOf(fn).identity()]
	return r, ok
}

func (r *Root) resolve(sig *types.Signature) Root {
	found := *r
	if found.Ctx == Deduced || found.Ctx >= sig.Params().Len() {
		found.Ctx = providerParam(sig)
	}
	return found
}

// interfaceIn finds the interface that declares method, seen from pkg.
func interfaceIn(pkg *types.Package, method Symbol) *types.Interface {
	if pkg.Path() == method.Pkg {
		return interfaceNamed(pkg, method.Recv)
	}
	for _, imported := range pkg.Imports() {
		if imported.Path() == method.Pkg {
			return interfaceNamed(imported, method.Recv)
		}
	}
	return nil
}

func interfaceNamed(pkg *types.Package, name string) *types.Interface {
	obj := pkg.Scope().Lookup(name)
	if obj == nil {
		return nil
	}
	iface, _ := obj.Type().Underlying().(*types.Interface)
	return iface
}

// implements reports whether a method's receiver type, or a pointer to it,
// implements iface. An interface's own method is a declaration, no root.
func implements(recv types.Type, iface *types.Interface) bool {
	if types.IsInterface(recv) {
		return false
	}
	if _, ok := types.Unalias(recv).(*types.Pointer); !ok {
		recv = types.NewPointer(recv)
	}
	return types.Implements(recv, iface)
}
