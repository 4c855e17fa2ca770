package loops_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/ctxprop/ctxprop/internal/loops"
)

// shapes holds one function per line of the table: its name, the loop that
// is looked at (the first outer one), and how often "try" runs by count.
const shapes = `package p

import (
	"context"
	"time"
)

type rows struct{}
func (rows) Next() bool { return false }
type client struct{ attempts int; n int }
func try() error { return nil }
func done() bool { return false }
func item() (int, bool) { return 0, false }

func upTo() { for i := 0; i < 5; i++ { try() } }                         // counted 5
func inclusive() { for i := 1; i <= 3; i++ { try() } }                   // counted 3
func byTwo() { for i := 0; i < 5; i += 2 { try() } }                     // counted 3
func down() { for i := 4; i > 0; i-- { try() } }                         // counted 4
func downInclusive() { for i := 4; i >= 0; i-- { try() } }               // counted 5
func rangeInt() { for range 4 { try() } }                                // counted 4
func rangeParam(n int) { for range n { try() } }                         // counted n+0
func param(n int) { for i := 0; i < n; i++ { try() } }                   // counted n+0
func paramInclusive(n int) { for i := 0; i <= n; i++ { try() } }         // counted n+1
func countDown(n int) { for n > 0 { n--; try() } }                       // counted n+0
func notEqual() { for i := 0; i != 6; i++ { try() } }                    // counted 6
func after() { i := 0; for { try(); i++; if i >= 3 { return } } }        // counted 3
func afterOld() { i := 0; for { try(); if i >= 3 { return }; i++ } }     // counted 4
func paramAfter(n int) { i := 0; for { try(); i++; if i > n { return } } } // counted n+1
func field(c *client) { for i := 0; i < c.attempts; i++ { try() } }      // counted field+0
func captured() { n := 0; func() { n = 0 }(); for n < 3 { n++; try() } } // counted 3
func memory(c *client) { for c.n < 10 { c.n++; try() } }                 // counted unknown
func jump() { i := 0
again: i++; try(); if i < 3 { goto again } }                            // counted 3
func sometimes(ok bool) { i := 0; for i < 3 { try(); if ok { i++ } } }   // other 3
func failures() { i := 0; for { err := try(); if err != nil { i++; if i == 3 { return }; continue } } } // other 3
func never() { for { try() } }                                           // other
func forElse() { for i := 0; i > 5; i++ { try() } }                      // other
func each(s []int) { for range s { try() } }                             // each
func eachMap(m map[int]int) { for range m { try() } }                    // each
func channel(c chan int) { for range c { try() } }                       // drain
func next(r rows) { for r.Next() { try() } }                             // drain
func take() { for { _, ok := item(); if !ok { return }; try() } }        // drain
func until() { for { try(); if done() { return } } }                     // poll
func event(c chan int, d context.Context) { for { select { case <-c: case <-d.Done(): return }; try() } } // event
func ticker(t *time.Ticker) { for { <-t.C; try() } }                     // event
func paced(d context.Context) { for { try(); select { case <-time.After(1): case <-d.Done(): return } } } // other
func timed(d context.Context) { for { try(); t := time.NewTimer(1); select { case <-t.C: case <-d.Done(): return } } } // other
func slept() { for { try(); time.Sleep(1) } }                            // other
`

func TestShapes(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", shapes, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	conf := &types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, _, err := ssautil.BuildPackage(conf, fset, types.NewPackage("p", ""), []*ast.File{file}, 0)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(shapes, "\n")
	for _, decl := range file.Decls {
		fd, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		_, want, ok := strings.Cut(lines[fset.Position(fd.End()).Line-1], "} // ")
		if !ok {
			_, want, ok = strings.Cut(lines[fset.Position(fd.End()).Line-1], "// ")
		}
		if !ok {
			continue
		}
		if got := describe(pkg.Func(fd.Name.Name)); got != strings.TrimSpace(want) {
			t.Errorf("%s: %s, want %s", fd.Name.Name, got, strings.TrimSpace(want))
		}
	}
}

// describe is the kind of a function's outermost loop, and how often it lets
// the call of try happen.
func describe(fn *ssa.Function) string {
	all := loops.Of(fn)
	if len(all) == 0 {
		return "no loop"
	}
	l := all[0]
	text := l.Kind().String()
	at := tryIn(l)
	if at == nil {
		return text
	}
	if k := l.Kind(); k != loops.Counted && k != loops.Other {
		return text
	}
	for _, b := range l.Bounds() {
		b = b.Times(at)
		switch {
		case b.Unknown:
			text += " unknown"
		case b.Limit == nil:
			text += fmt.Sprintf(" %d", b.Add)
		default:
			name := "field"
			if p, ok := b.Limit.(*ssa.Parameter); ok {
				name = p.Name()
			}
			text += fmt.Sprintf(" %s%+d", name, b.Add)
		}
	}
	return text
}

func tryIn(l *loops.Loop) *ssa.BasicBlock {
	for _, b := range l.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok && c.Call.StaticCallee() != nil && c.Call.StaticCallee().Name() == "try" {
				return b
			}
		}
	}
	return nil
}

const nested = `package p

func f(n int, s []int) {
	for range s {
		for i := 0; i < n; i++ {
			println(i)
		}
		for n > 0 {
			n--
		}
	}
}
`

// TestNesting: outer loops come first, and know what is inside them.
func TestNesting(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", nested, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(&types.Config{}, fset, types.NewPackage("p", ""), []*ast.File{file}, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := loops.Of(pkg.Func("f"))
	if len(all) != 3 {
		t.Fatalf("%d loops, want 3", len(all))
	}
	outer := all[0]
	for _, inner := range all[1:] {
		if inner.Outer != outer || !outer.Contains(inner.Head) {
			t.Errorf("the loop at block %d is not inside the one at %d", inner.Head.Index, outer.Head.Index)
		}
		if loops.Around(all, inner.Head) != inner {
			t.Errorf("around block %d is another loop", inner.Head.Index)
		}
	}
	if outer.Outer != nil {
		t.Error("the outermost loop is inside one")
	}
}
