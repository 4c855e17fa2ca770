package dialopt

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/ctxprop/ctxprop/internal/retry"
)

// Config is one service config that a client is given.
type Config struct {
	Text
	// Parsed is what the text says; if only a part of the text is known, it has
	// no more than the problems of that part.
	Parsed *retry.ServiceConfig
	Client retry.Client
	Sink   *types.Func   // takes the text, such as grpc.WithDefaultServiceConfig
	Call   *ast.CallExpr // of Sink
	In     *types.Func   // the declared function around Call, or nil
	// DisableRetry is a call of grpc.WithDisableRetry among the same options.
	DisableRetry *ast.CallExpr
	// Replaced is a later config among the same options, which counts instead.
	Replaced *ast.CallExpr
}

const grpcPath = "google.golang.org/grpc"

// Sink is a function, or a method of Type, that takes a service config as its
// first argument.
type Sink struct{ Pkg, Type, Func string }

// String is the name as types.Func.FullName prints it.
func (s Sink) String() string {
	if s.Type != "" {
		return fmt.Sprintf("(%s.%s).%s", s.Pkg, s.Type, s.Func)
	}
	return s.Pkg + "." + s.Func
}

var sinks = []Sink{
	{grpcPath, "", "WithDefaultServiceConfig"},
	{grpcPath + "/resolver", "ClientConn", "ParseServiceConfig"},
	{otlpPath + "otlptrace/otlptracegrpc", "", "WithServiceConfig"},
	{otlpPath + "otlpmetric/otlpmetricgrpc", "", "WithServiceConfig"},
	{otlpPath + "otlplog/otlploggrpc", "", "WithServiceConfig"},
}

const otlpPath = "go.opentelemetry.io/otel/exporters/otlp/"

// Sinks lists the functions that take a service config.
func Sinks() []Sink { return slices.Clone(sinks) }

var sinkNames = func() map[string]bool {
	names := map[string]bool{}
	for _, s := range sinks {
		names[s.String()] = true
	}
	return names
}()

// IsSink reports whether a function takes a service config.
func IsSink(fn *types.Func) bool { return sinkNames[fn.FullName()] }

// Options that change what a service config does.
const (
	disableRetry    = grpcPath + ".WithDisableRetry"
	maxCallAttempts = grpcPath + ".WithMaxCallAttempts"
)

// Option is a call of grpc.WithMaxCallAttempts with a constant.
type Option struct {
	Call *ast.CallExpr
	In   *types.Func
	N    int
}

// Options are the options of a package's clients that have to do with retries.
type Options struct {
	Configs []*Config
	Limits  []Option
}

// finder looks through one package.
type finder struct {
	pass  *analysis.Pass
	info  *types.Info
	idx   *index
	known []string // full names of methods
	steps int      // of the evaluation that is under way
	// anyLimit is set if grpc.WithMaxCallAttempts is called at all.
	anyLimit bool
}

// Find returns the options in the files of a package that are not generated.
func Find(pass *analysis.Pass) *Options {
	f := &finder{pass: pass, info: pass.TypesInfo}
	out := &Options{}
	if !f.concerned() {
		return out
	}
	sites := f.sites()
	for _, s := range sites {
		f.anyLimit = f.anyLimit || s.fn.FullName() == maxCallAttempts
	}
	for _, s := range sites {
		switch name := s.fn.FullName(); {
		case name == maxCallAttempts:
			if n, ok := f.number(s.call); ok {
				out.Limits = append(out.Limits, Option{s.call, s.in, n})
			}
		case sinkNames[name]:
			out.Configs = append(out.Configs, f.configs(s)...)
		}
	}
	return out
}

// concerned reports whether the package imports what takes a service config.
func (f *finder) concerned() bool {
	return slices.ContainsFunc(f.pass.Pkg.Imports(), func(p *types.Package) bool {
		return p.Path() == grpcPath || p.Path() == grpcPath+"/resolver" || strings.HasPrefix(p.Path(), otlpPath)
	})
}

// site is a call that takes part.
type site struct {
	fn      *types.Func
	call    *ast.CallExpr
	in      *types.Func
	options []ast.Expr // the arguments or elements that it is one of
}

func (f *finder) sites() []site {
	var out []site
	for _, file := range f.pass.Files {
		if ast.IsGenerated(file) {
			continue
		}
		var stack []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if call, ok := n.(*ast.CallExpr); ok {
				if fn := f.callee(call); fn != nil && f.takesPart(fn.FullName()) && len(call.Args) > 0 {
					out = append(out, site{fn, call, f.around(stack), f.optionsAround(stack, call)})
				}
			}
			stack = append(stack, n)
			return true
		})
	}
	return out
}

func (f *finder) takesPart(name string) bool { return name == maxCallAttempts || sinkNames[name] }

// callee is the function that is called, the method's origin if it is generic.
func (f *finder) callee(call *ast.CallExpr) *types.Func {
	fn, _ := typeutil.Callee(f.info, call).(*types.Func)
	if fn == nil {
		return nil
	}
	return fn.Origin()
}

// around is the declared function that a stack of nodes is in.
func (f *finder) around(stack []ast.Node) *types.Func {
	for _, n := range stack {
		if decl, ok := n.(*ast.FuncDecl); ok {
			fn, _ := f.info.Defs[decl.Name].(*types.Func)
			return fn
		}
	}
	return nil
}

// optionsAround are the arguments of a call, or the elements of a literal,
// that the call is one of, with what is appended to the same variable before
// and after, on the same way through the function.
func (f *finder) optionsAround(stack []ast.Node, call *ast.CallExpr) []ast.Expr {
	var own []ast.Expr
	var list ast.Expr
	for i := len(stack) - 1; i >= 0; i-- {
		switch outer := stack[i].(type) {
		case *ast.CallExpr:
			if own == nil && slices.Contains(outer.Args, ast.Expr(call)) {
				own, list = outer.Args, outer
				continue
			}
		case *ast.CompositeLit:
			if own == nil {
				own, list = outer.Elts, outer
				continue
			}
		case *ast.AssignStmt:
			if len(outer.Lhs) == 1 && i > 0 && outer.Rhs[0] == list {
				if all := f.appended(outer, stack[i-1]); slices.Contains(all, ast.Expr(call)) {
					return all
				}
			}
		}
		break
	}
	return own
}

// appended lists the elements of all assignments of the form x = append(x, …)
// and x := []T{…} to the variable of one of them, in the same block. It is nil
// if the variable is used for anything else between them: for another client.
func (f *finder) appended(one *ast.AssignStmt, in ast.Node) []ast.Expr {
	block, ok := in.(*ast.BlockStmt)
	v := f.target(one.Lhs[0])
	if !ok || v == nil {
		return nil
	}
	var all []ast.Expr
	used := false // since the first assignment
	for _, stmt := range block.List {
		elems, ok := f.elements(stmt, v)
		switch {
		case !ok:
			used = used || all != nil && f.uses(stmt, v)
		case used:
			return nil
		default:
			all = append(all, elems...)
		}
	}
	return all
}

// elements are what an assignment puts into a slice variable. ok is false for
// any other statement.
func (f *finder) elements(stmt ast.Node, v types.Object) (elems []ast.Expr, ok bool) {
	assign, ok := stmt.(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || f.target(assign.Lhs[0]) != v {
		return nil, false
	}
	switch rhs := assign.Rhs[0].(type) {
	case *ast.CompositeLit:
		return rhs.Elts, assign.Tok == token.DEFINE
	case *ast.CallExpr:
		fn, ok := rhs.Fun.(*ast.Ident)
		return rhs.Args[min(1, len(rhs.Args)):], ok && fn.Name == "append" && f.target(rhs.Args[0]) == v
	}
	return nil, false
}

// uses reports whether a statement does anything with a slice variable but
// append to it.
func (f *finder) uses(stmt ast.Node, v types.Object) bool {
	found := false
	ast.Inspect(stmt, func(n ast.Node) bool {
		if elems, ok := f.elements(n, v); ok {
			for _, e := range elems {
				found = found || f.uses(e, v)
			}
			return false
		}
		if id, ok := n.(*ast.Ident); ok && f.info.Uses[id] == v {
			found = true
		}
		return !found
	})
	return found
}

// number is the constant first argument.
func (f *finder) number(call *ast.CallExpr) (int, bool) {
	v := f.info.Types[call.Args[0]].Value
	if v == nil || v.Kind() != constant.Int {
		return 0, false
	}
	n, exact := constant.Int64Val(v)
	return int(n), exact
}

// configs are the texts that may reach a sink, each with the client's other
// options as far as they stand beside it.
func (f *finder) configs(s site) []*Config {
	proto := Config{Sink: s.fn, Call: s.call, In: s.in, Client: retry.Client{LimitUnknown: f.anyLimit, Methods: f.methods()}}
	f.beside(s, &proto)
	f.steps = 0
	var out []*Config
	for _, text := range f.eval(s.call.Args[0], nil, 0) {
		if !text.sound() {
			continue
		}
		c := proto
		c.Text = text
		c.Parsed = retry.ParseServiceConfig(text.String(), c.Client)
		if text.Partial() {
			c.Parsed = &retry.ServiceConfig{Problems: text.certain(c.Parsed.Problems)}
		}
		out = append(out, &c)
	}
	return out
}

// certain are the problems that do not depend on what is not known.
func (t Text) certain(all []retry.Problem) []retry.Problem {
	return slices.DeleteFunc(all, func(p retry.Problem) bool { return p.Numeric || t.covers(p.Start, p.End) })
}

// beside reads the options next to a sink.
func (f *finder) beside(s site, c *Config) {
	after := false
	for _, e := range s.options {
		call, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok {
			continue
		}
		fn := f.callee(call)
		if call == s.call {
			after = true
			continue
		}
		switch {
		case fn == nil:
		case fn.FullName() == disableRetry:
			c.DisableRetry = call
		case fn.FullName() == maxCallAttempts:
			if n, ok := f.number(call); ok {
				c.Client.MaxCallAttempts, c.Client.LimitUnknown = n, false
			}
		case fn == s.fn && after:
			c.Replaced = call
		}
	}
}

// passed lists what the calls in this package give to a parameter.
func (f *finder) passed(p parameter, depth int) []Text {
	var out []Text
	for _, call := range f.index().calls[p.of] {
		if i := p.index; i < len(call.Args) && !call.Ellipsis.IsValid() {
			out = append(out, f.eval(call.Args[i], nil, depth+1)...)
		}
	}
	return out[:min(len(out), maxTexts)]
}

// methods lists the full names of the methods of services whose generated code
// is in sight: of each such service, all methods are.
func (f *finder) methods() []string {
	if f.known != nil {
		return f.known
	}
	f.known = []string{}
	for _, p := range append([]*types.Package{f.pass.Pkg}, f.pass.Pkg.Imports()...) {
		for _, name := range p.Scope().Names() {
			if !strings.HasSuffix(name, "_FullMethodName") {
				continue
			}
			if c, ok := p.Scope().Lookup(name).(*types.Const); ok && c.Val().Kind() == constant.String {
				f.known = append(f.known, constant.StringVal(c.Val()))
			}
		}
	}
	return f.known
}
