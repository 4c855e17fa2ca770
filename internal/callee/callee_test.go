package callee_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/ctxprop/ctxprop/internal/callee"
)

// calls has one call on each marked line. "calls: a b" lists the functions that
// it may run; ? is a function value and I.M an interface's method of which no
// more is known; a trailing + says that the target has a body in the package.
const calls = `package p

import "sort"

type runner interface{ run() int }

type fast struct{}
func (fast) run() int { return 1 }

type slow struct{ n int }
func (s *slow) run() int { return s.n }
func (s *slow) add(n int) int { return s.n + n }

type wrapper struct{ *slow }

func f() int { return 1 }
func g() int { return 2 }
func apply(h func() int) int {
	return h() // calls: ?
}

func static() {
	f() // calls: p.f+
}

func foreign(s []int) {
	sort.Ints(s) // calls: sort.Ints
}

func builtin(s []int) int {
	return len(s) // calls:
}

func method(s *slow) {
	s.run() // calls: slow.run+
}

func promoted(w wrapper) {
	w.run() // calls: slow.run+
}

func methodValue(s *slow) {
	h := s.run
	h() // calls: slow.run+
}

func methodExpression(s *slow) {
	h := (*slow).add
	h(s, 1) // calls: slow.add+
}

func closure() {
	n := 1
	h := func() int { return n }
	h() // calls: closure$1+
}

func literal() {
	func() {}() // calls: literal$1+
}

func either(b bool) {
	h := f
	if b {
		h = g
	}
	h() // calls: p.f+ p.g+
}

func reassigned() {
	h := f
	set := func() { h = g }
	set() // calls: reassigned$1+
	h() // calls: p.f+ p.g+
}

func unknown(h func() int) {
	h() // calls: ?
}

func partly(b bool, other func() int) {
	h := f
	if b {
		h = other
	}
	h() // calls: ?
}

func iface(r runner) {
	r.run() // calls: runner.run
}

func known() {
	var r runner = fast{}
	r.run() // calls: fast.run+
}

func oneOf(b bool) {
	var r runner = fast{}
	if b {
		r = &slow{}
	}
	r.run() // calls: fast.run+ slow.run+
}

func oneUnknown(b bool, other runner) {
	var r runner = fast{}
	if b {
		r = other
	}
	r.run() // calls: runner.run
}

type service struct {
	r  runner
	h  func() int
	R  runner
	by map[string]runner
	p  runner
}

func newService() *service { return &service{r: &slow{}, h: g, R: fast{}, p: fast{}} }

func (s *service) field() {
	s.r.run() // calls: slow.run+
}

func (s *service) function() {
	s.h() // calls: p.g+
}

func (s *service) exported() {
	s.R.run() // calls: runner.run
}

func (s *service) mapped(k string) {
	s.by[k].run() // calls: runner.run
}

type table struct {
	by     map[string]func() int
	lists  map[string]runner
	filled map[string]func() int
	given  map[string]func() int
	passed map[string]func() int
	a, b   map[string]func() int
}

func newTable(given map[string]func() int, use func(map[string]func() int)) *table {
	t := &table{by: map[string]func() int{"f": f, "g": g}, lists: map[string]runner{"fast": fast{}}, given: given}
	t.filled = make(map[string]func() int)
	t.passed = map[string]func() int{"f": f}
	use(t.passed) // calls: ?
	shared := map[string]func() int{"f": f}
	t.a, t.b = shared, shared
	return t
}

func (t *table) add(name string) { t.filled[name] = f }

func (t *table) register(h func() int) { t.given["h"] = h }

func (t *table) addB() { t.b["g"] = g }

func (t *table) lookedUp(k string) {
	t.by[k]() // calls: p.f+ p.g+
	if h, ok := t.by[k]; ok {
		h() // calls: p.f+ p.g+
	}
	t.lists[k].run() // calls: fast.run+
	t.filled[k]() // calls: p.f+
}

func (t *table) goneOver() {
	for _, h := range t.by {
		h() // calls: p.f+ p.g+
	}
}

// others may have put more into it.
func (t *table) others(k string) {
	t.given[k]() // calls: ?
	t.passed[k]() // calls: ?
}

// both are one map.
func (t *table) both(k string) {
	t.a[k]() // calls: p.f+ p.g+
}

var commands = map[string]func() int{"f": f}

func init() { commands["g"] = g }

func ofTable(k string) {
	commands[k]() // calls: p.f+ p.g+
}

func ofLocal(k string) {
	m := map[string]func() int{"f": f}
	m[k]() // calls: p.f+
}

var Commands = map[string]func() int{"f": f}

func ofExportedTable(k string) {
	Commands[k]() // calls: ?
}

// leaked lets others write to the field.
func (s *service) leaked(fill func(*runner)) {
	fill(&s.p) // calls: ?
	s.p.run() // calls: runner.run
}

var global runner = fast{}

func ofGlobal() {
	global.run() // calls: fast.run+
}

var hook = f

func setHook() { hook = g }

func ofHook() {
	hook() // calls: p.f+ p.g+
}

var Exported runner = fast{}

func ofExported() {
	Exported.run() // calls: runner.run
}

func generic[T any](v T) T { return v }

func instance() {
	generic(1) // calls: p.generic+
}

type box[T any] struct{ v T }
func (b *box[T]) get() T { return b.v }

func instanceMethod(b *box[int]) {
	b.get() // calls: box.get+
}

func constraint[R runner](r R) {
	r.run() // calls: runner.run
}

func deferred(s *slow) {
	defer s.run() // calls: slow.run+
	go f() // calls: p.f+
}

func handed() {
	apply(f) // calls: p.apply+
}

func captured() {
	h := f
	func() {
		h() // calls: p.f+
	}() // calls: captured$1+
}

type base struct{}
func (base) run() int { return 3 }
type derived struct{ base }

func embeddedInInterface() {
	var r runner = derived{}
	r.run() // calls: base.run+
}
`

func TestTargets(t *testing.T) {
	fset, pkg := build(t, calls)
	resolver := callee.New(pkg, functions(pkg))
	got := map[int][]string{}
	for _, fn := range functions(pkg) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				c, ok := instr.(ssa.CallInstruction)
				if !ok || !instr.Pos().IsValid() {
					continue
				}
				line := fset.Position(instr.Pos()).Line
				got[line] = append(got[line], names(resolver.Targets(c.Common()))...)
			}
		}
	}
	line := 0
	for text := range strings.Lines(calls) {
		line++
		_, mark, ok := strings.Cut(text, "// calls:")
		if !ok {
			continue
		}
		slices.Sort(got[line])
		if want := strings.Fields(mark); !slices.Equal(got[line], want) {
			t.Errorf("line %d, %s: calls %q, want %q", line, strings.TrimSpace(strings.TrimSuffix(text, "// calls:"+mark)), got[line], want)
		}
	}
}

func names(targets []callee.Target) []string {
	var out []string
	for _, t := range targets {
		name := t.Name()
		if t.Obj == nil && t.Fn == nil {
			name = "?"
		}
		if t.Fn != nil {
			name += "+"
		}
		out = append(out, name)
	}
	return out
}

// TestArgs: arguments line up with the parameters of a body, the receiver first.
func TestArgs(t *testing.T) {
	_, pkg := build(t, calls)
	resolver := callee.New(pkg, functions(pkg))
	for _, fn := range functions(pkg) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				c, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				for _, target := range resolver.Targets(c.Common()) {
					if target.Fn != nil && len(target.Args) != len(target.Fn.Params) {
						t.Errorf("%s in %s: %d arguments for %d parameters", target.Name(), fn, len(target.Args), len(target.Fn.Params))
					}
					if target.Obj != nil && target.RecvShift() != len(target.Args)-target.Sig.Params().Len() {
						t.Errorf("%s in %s: shift %d, %d arguments, signature %s", target.Name(), fn, target.RecvShift(), len(target.Args), target.Sig)
					}
				}
			}
		}
	}
}

func build(t *testing.T, src string) (*token.FileSet, *ssa.Package) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	conf := &types.Config{Importer: stub{}}
	pkg, _, err := ssautil.BuildPackage(conf, fset, types.NewPackage("p", ""), []*ast.File{file}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return fset, pkg
}

// stub imports a package that only has Ints.
type stub struct{}

func (stub) Import(path string) (*types.Package, error) {
	pkg := types.NewPackage(path, path)
	ints := types.NewParam(token.NoPos, pkg, "x", types.NewSlice(types.Typ[types.Int]))
	sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(ints), nil, false)
	pkg.Scope().Insert(types.NewFunc(token.NoPos, pkg, "Ints", sig))
	pkg.MarkComplete()
	return pkg, nil
}

// functions lists the functions with source, closures and the initializer.
func functions(pkg *ssa.Package) []*ssa.Function {
	var out []*ssa.Function
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		out = append(out, fn)
		for _, anon := range fn.AnonFuncs {
			add(anon)
		}
	}
	for _, m := range pkg.Members {
		switch m := m.(type) {
		case *ssa.Function:
			add(m)
		case *ssa.Type:
			if named, ok := m.Type().(*types.Named); ok && !types.IsInterface(named) {
				for method := range named.Methods() {
					add(pkg.Prog.FuncValue(method))
				}
			}
		}
	}
	return out
}

func TestShortName(t *testing.T) {
	_, pkg := build(t, calls)
	for _, test := range []struct{ in, want string }{
		{"f", "p.f"}, {"generic", "p.generic"},
	} {
		if got := callee.ShortName(pkg.Func(test.in).Object().(*types.Func)); got != test.want {
			t.Errorf("ShortName(%s) = %q, want %q", test.in, got, test.want)
		}
	}
	for _, test := range []struct{ typ, method, want string }{
		{"slow", "run", "slow.run"}, {"box", "get", "box.get"}, {"runner", "run", "runner.run"},
	} {
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(pkg.Type(test.typ).Type()), false, pkg.Pkg, test.method)
		if types.IsInterface(pkg.Type(test.typ).Type()) {
			obj, _, _ = types.LookupFieldOrMethod(pkg.Type(test.typ).Type(), false, pkg.Pkg, test.method)
		}
		if got := callee.ShortName(obj.(*types.Func)); got != test.want {
			t.Errorf("ShortName(%s) = %q, want %q", fmt.Sprint(obj), got, test.want)
		}
	}
}
