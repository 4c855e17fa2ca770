package errflow_test

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

	"github.com/ctxprop/ctxprop/internal/errflow"
	"github.com/ctxprop/ctxprop/internal/loops"
	"github.com/ctxprop/ctxprop/internal/retry"
)

var stubs = map[string]string{
	"google.golang.org/grpc/codes": `package codes
type Code uint32
const ( OK Code = 0; DeadlineExceeded Code = 4; NotFound Code = 5; ResourceExhausted Code = 8; FailedPrecondition Code = 9; Internal Code = 13; Unavailable Code = 14 )`,
	"google.golang.org/grpc/status": `package status
import "google.golang.org/grpc/codes"
type Status struct{}
func (s *Status) Code() codes.Code { return 0 }
func (s *Status) Err() error { return nil }
func Code(err error) codes.Code { return 0 }
func Convert(err error) *Status { return nil }
func FromError(err error) (*Status, bool) { return nil, false }
func FromContextError(err error) *Status { return nil }
func Error(c codes.Code, msg string) error { return nil }`,
	"backoff": `package backoff
func Permanent(err error) error { return err }`,
}

// repeats holds loops round try. The comment says for which of the errors
// that are asked about (U unavailable, N not found, O a fresh one, P one that
// may wrap anything, M a permanent one, D the context's deadline) control
// comes to try again, and for which it certainly does, in capitals: a class
// that only may repeat is written in lower case.
const repeats = `
func always() error { for { if err := try(); err == nil { return nil } } }           // U N O P D
func never() error { for { if err := try(); err != nil { return err } } }            //
func code() error { for { if err := try(); status.Code(err) != codes.Unavailable { return err } } } // U p
func codeOfStatus() error { for { st, _ := status.FromError(try()); if st.Code() != codes.Unavailable { return nil } } } // U p
func converted() error { for { if status.Convert(try()).Code() != codes.Unavailable { return nil } } } // U p
func cases() error { for { err := try(); switch status.Code(err) { case codes.Unavailable, codes.DeadlineExceeded: default: return err } } } // U p
func predicate() error { for { err := try(); if err == nil || !again(err) { return err } } } // U p
func again(err error) bool { return status.Code(err) == codes.Unavailable || errors.Is(err, context.DeadlineExceeded) && false }
func deadline() error { for { err := try(); if !errors.Is(err, context.DeadlineExceeded) { return err } } } // p D
func notContext(ctx context.Context) error { for { err := try(); if err == nil || errors.Is(err, context.DeadlineExceeded) { return err } } } // U N O p
func own() error { for { err := try(); if !errors.Is(err, errBusy) { return err } } } // p
func stop() error { for { err := try(); var s stopErr; if err == nil || errors.As(err, &s) { return err } } } // u n O p d
func last() error { var last error; for { err := try(); last = err; if last == nil { return nil } } } // U N O P D
func captured() (err error) { defer func() { println(err) }(); for { err = try(); if err == nil { return nil } } } // U N O P D
func flag() error { ok := false; for !ok { err := try(); ok = err == nil }; return nil } // U N O P D
func later() error { err := try(); for err != nil { err = try() }; return nil } // U N O P D
func elsewhere(f func() bool) error { for { err := try(); if err == nil || f() { return err } } } // u n o p d
func mapped() error { for { err := wrap(try()); if status.Code(err) != codes.Unavailable { return err } } } // U p
func wrap(err error) error { if err == nil { return nil }; return fmt.Errorf("try: %w", err) }
func erased() error { for { err := erase(try()); if status.Code(err) != codes.Unavailable { return err } } } //
func erase(err error) error { return fmt.Errorf("try: %v", err) }
`

// returns holds functions that call try once. The comment says what they
// return if it fails: what becomes of U, N, O and P.
const returned = `
func plain() error { return try() }                                              // U N O P
func wrapped() error { if err := try(); err != nil { return fmt.Errorf("x: %w", err) }; return nil } // U N O P
func text() error { if err := try(); err != nil { return fmt.Errorf("x: %v", err) }; return nil }    // O O O O
func fresh() error { if err := try(); err != nil { return errors.New("x") }; return nil }           // O O O O
func failed() error { if err := try(); err != nil { return status.Error(codes.FailedPrecondition, "x") }; return nil } // FAILED_PRECONDITION x4
func rewrapped() error { return status.Convert(try()).Err() }                    // U N UNKNOWN *
func some() error { err := try(); if status.Code(err) == codes.NotFound { return nil }; return err } // U nil O P/nil
func joined() error { return errors.Join(errBusy, try()) }                       // P|U P|N P|O P
func marked() error { return backoff.Permanent(try()) }                           // U+permanent N+permanent O+permanent P+permanent
func held() error { if err := try(); err != nil { return stopErr{err} }; return nil } // U+p.stopErr N+p.stopErr O+p.stopErr P+p.stopErr
`

const preamble = `package p
import ("backoff"; "context"; "errors"; "fmt"; "google.golang.org/grpc/codes"; "google.golang.org/grpc/status")
var errBusy = errors.New("busy")
type stopErr struct{ error }
func try() error { return nil }
var _ = fmt.Sprint; var _ context.Context; var _ = backoff.Permanent
var _ = status.Code; var _ codes.Code
`

type classLetter struct {
	letter string
	class  retry.Class
}

var asked = []classLetter{{"U", retry.Unavailable}, {"N", retry.NotFound}, {"O", retry.Opaque}, {"P", retry.Plain}, {"D", retry.ContextDeadline}}

func TestRepeats(t *testing.T) {
	pkg, lines := build(t, preamble+repeats)
	for name, want := range lines {
		fn := pkg.Func(name)
		if fn == nil || !strings.Contains(repeats, "func "+name+"(") {
			continue
		}
		flow := errflow.New(pkg)
		call, loop := tryIn(fn)
		var got []string
		for _, ask := range asked {
			ends, ok := flow.Run(errflow.Assumption{Call: call, Err: errflow.Error(retry.Errors(ask.class))}, loop, nil)
			if !ok {
				t.Fatalf("%s: too much to explore", name)
			}
			again, other := false, false
			for _, e := range ends {
				again, other = again || e.Again, other || !e.Again
			}
			switch {
			case again && other:
				got = append(got, strings.ToLower(ask.letter))
			case again:
				got = append(got, ask.letter)
			}
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s repeats on %q, want %q", name, text, want)
		}
	}
}

func TestReturns(t *testing.T) {
	pkg, lines := build(t, preamble+returned)
	for name, want := range lines {
		flow := errflow.New(pkg)
		flow.Mark = func(fn *types.Func) (string, bool) { return "permanent", fn.Name() == "Permanent" }
		call, _ := tryIn(pkg.Func(name))
		var got []string
		for _, ask := range asked[:4] {
			ends, _ := flow.Run(errflow.Assumption{Call: call, Err: errflow.Error(retry.Errors(ask.class))}, nil, nil)
			var parts []string
			for _, e := range ends {
				if e.Return != nil {
					parts = append(parts, describe(e.Values[0]))
				}
			}
			got = append(got, strings.Join(parts, "/"))
		}
		text := strings.Join(got, " ")
		text = strings.ReplaceAll(text, "FAILED_PRECONDITION FAILED_PRECONDITION FAILED_PRECONDITION FAILED_PRECONDITION", "FAILED_PRECONDITION x4")
		if text != want {
			t.Errorf("%s returns %q, want %q", name, text, want)
		}
	}
}

func describe(v errflow.Value) string {
	var parts []string
	if len(v.Errs.Classes()) > 10 {
		return "*"
	}
	for _, c := range v.Errs.Classes() {
		text := c.String()
		if c == retry.OK {
			text = "nil"
		}
		for _, ask := range asked {
			if ask.class == c {
				text = ask.letter
			}
		}
		parts = append([]string{text}, parts...)
	}
	text := strings.Join(parts, "|")
	for _, m := range v.Marks() {
		if m != "p.errBusy" {
			text += "+" + m
		}
	}
	return text
}

// build compiles the source and returns the comment on each function.
func build(t *testing.T, src string) (*ssa.Package, map[string]string) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	imp := &stubImporter{fset: fset, std: importer.ForCompiler(fset, "source", nil), done: map[string]*types.Package{}}
	pkg, _, err := ssautil.BuildPackage(&types.Config{Importer: imp}, fset, types.NewPackage("p", ""), []*ast.File{file}, 0)
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	all := strings.Split(src, "\n")
	for _, decl := range file.Decls {
		if fd, ok := decl.(*ast.FuncDecl); ok {
			if _, want, ok := strings.Cut(all[fset.Position(fd.Pos()).Line-1], "//"); ok {
				comments[fd.Name.Name] = strings.TrimSpace(want)
			}
		}
	}
	return pkg, comments
}

type stubImporter struct {
	fset *token.FileSet
	std  types.Importer
	done map[string]*types.Package
}

func (s *stubImporter) Import(path string) (*types.Package, error) {
	src, ok := stubs[path]
	if !ok {
		return s.std.Import(path)
	}
	if s.done[path] == nil {
		file, err := parser.ParseFile(s.fset, path+".go", src, 0)
		if err != nil {
			return nil, err
		}
		conf := &types.Config{Importer: s}
		pkg, err := conf.Check(path, s.fset, []*ast.File{file}, nil)
		if err != nil {
			return nil, fmt.Errorf("stub %s: %w", path, err)
		}
		s.done[path] = pkg
	}
	return s.done[path], nil
}

// tryIn is the call of try that is in a loop, or else the only one.
func tryIn(fn *ssa.Function) (call *ssa.Call, loop *loops.Loop) {
	all := loops.Of(fn)
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			c, ok := instr.(*ssa.Call)
			if ok && c.Call.StaticCallee() != nil && c.Call.StaticCallee().Name() == "try" {
				if l := loops.Around(all, b); call == nil || l != nil {
					call, loop = c, l
				}
			}
		}
	}
	return call, loop
}
