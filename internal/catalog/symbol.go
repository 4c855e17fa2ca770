package catalog

import (
	"fmt"
	"go/token"
	"strings"
)

// wildcard is the Name of a symbol that stands for all functions of its type
// or package.
const wildcard = "*"

// A Symbol names what a line is about. The zero Recv and Name "*" stand for a
// whole package, or with Tree also for every package below it. A * in a longer
// name stands for any part of it.
type Symbol struct {
	Pkg     string // import path
	Recv    string // name of the receiver's type, or ""
	Name    string // name of the function, "*", or a name with a * in it
	Pointer bool   // spelled with a pointer receiver; no part of the identity
	Tree    bool
}

func (s Symbol) String() string {
	switch {
	case s.Tree && s.Name == wildcard:
		return s.Pkg + "/..."
	case s.Tree:
		return s.Pkg + "/...." + s.Name
	case s.Recv == "":
		return s.Pkg + "." + s.Name
	case s.Pointer:
		return "(*" + s.Pkg + "." + s.Recv + ")." + s.Name
	default:
		return "(" + s.Pkg + "." + s.Recv + ")." + s.Name
	}
}

// Wide reports whether the symbol stands for more than one function.
func (s Symbol) Wide() bool { return s.Tree || strings.Contains(s.Name, wildcard) }

// identity is the symbol without its spelling: two lines with the same
// identity are about the same thing.
func (s Symbol) identity() Symbol {
	s.Pointer = false
	return s
}

// parseSymbol reads one of the forms that the package comment lists.
func parseSymbol(text string) (Symbol, error) {
	if strings.HasPrefix(text, "(") {
		return parseMethod(text)
	}
	if pkg, ok := strings.CutSuffix(text, "/..."); ok {
		return Symbol{Pkg: pkg, Name: wildcard, Tree: true}, checkPath(pkg)
	}
	if pkg, name, ok := strings.Cut(text, "/...."); ok {
		if err := checkName(name); err != nil {
			return Symbol{}, err
		}
		return Symbol{Pkg: pkg, Name: name, Tree: true}, checkPath(pkg)
	}
	pkg, name := cutLastDot(text)
	if name == "" {
		return Symbol{}, fmt.Errorf("symbol %q names no function: write %[2]s.Func, %[2]s.* for the whole package, or %[2]s/... for all below it as well", text, pkg)
	}
	if err := checkName(name); err != nil {
		return Symbol{}, err
	}
	return Symbol{Pkg: pkg, Name: name}, checkPath(pkg)
}

func parseMethod(text string) (Symbol, error) {
	recv, name, ok := strings.Cut(text[1:], ").")
	if !ok {
		return Symbol{}, fmt.Errorf("method %q is malformed: write (*pkg/path.Type).Method or (pkg/path.Type).Method", text)
	}
	recv, pointer := strings.CutPrefix(recv, "*")
	pkg, typ := cutLastDot(recv)
	if !token.IsIdentifier(typ) {
		return Symbol{}, fmt.Errorf("receiver %q is malformed: write the package's path, a dot and the type's name, without type parameters", recv)
	}
	if err := checkName(name); err != nil {
		return Symbol{}, err
	}
	return Symbol{Pkg: pkg, Recv: typ, Name: name, Pointer: pointer}, checkPath(pkg)
}

// cutLastDot splits at the last dot of the last path element; name is empty
// when there is none.
func cutLastDot(text string) (pkg, name string) {
	dot := strings.LastIndexByte(text, '.')
	if dot < strings.LastIndexByte(text, '/') || dot < 0 {
		return text, ""
	}
	return text[:dot], text[dot+1:]
}

func checkName(name string) error {
	before, after, _ := strings.Cut(name, wildcard)
	if name == wildcard || token.IsIdentifier(before+after) {
		return nil
	}
	return fmt.Errorf("%q is not the name of a function: write an identifier, without type parameters, or with a * for any part of it", name)
}

// checkPath refuses what cannot be an import path, in the way that typing
// errors go: empty elements, and characters that paths do not have.
func checkPath(path string) error {
	for elem := range strings.SplitSeq(path, "/") {
		if elem == "" || elem == "." || elem == ".." || elem == "..." || strings.ContainsFunc(elem, notInPath) {
			return fmt.Errorf("%q is not a package path", path)
		}
	}
	return nil
}

func notInPath(r rune) bool {
	const punctuation = "-._~+" // module.CheckImportPath of golang.org/x/mod
	letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	return !letter && !strings.ContainsRune(punctuation, r)
}
