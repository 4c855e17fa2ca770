package dialopt

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

const (
	// maxTexts bounds the texts that may reach one call.
	maxTexts = 8
	// maxDepth bounds the way back from a call to a text.
	maxDepth = 12
	// maxSteps bounds the expressions that are looked at for one call: a function
	// that calls itself from several places has very many ways back.
	maxSteps = 5000
)

// scope binds the parameters of a function to what one call gives them.
type scope map[*types.Var]bound

type bound struct {
	texts []Text
	value constant.Value // of a parameter that is no string
}

// eval lists the texts that an expression may be. An empty list means that
// nothing is known.
func (f *finder) eval(e ast.Expr, env scope, depth int) []Text {
	if f.steps++; depth > maxDepth || f.steps > maxSteps {
		return nil
	}
	e = ast.Unparen(e)
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			break
		}
		lit, ok := newLiteral(e)
		if lit == nil {
			return nil
		}
		p := piece{text: lit.value, from: e}
		if ok {
			p.lit = lit
		}
		return []Text{{pieces: []piece{p}}}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return product(f.eval(e.X, env, depth+1), f.eval(e.Y, env, depth+1))
		}
	case *ast.Ident:
		return f.object(f.info.Uses[e], e, env, depth)
	case *ast.SelectorExpr:
		if v, ok := f.info.Uses[e.Sel].(*types.Var); ok && v.IsField() {
			return f.stored(v, depth)
		}
		return f.object(f.info.Uses[e.Sel], e, env, depth)
	case *ast.CallExpr:
		return f.call(e, env, depth)
	}
	return f.constant(e)
}

// constant is a constant string of which only the value is known.
func (f *finder) constant(e ast.Expr) []Text {
	if v := f.info.Types[e].Value; v != nil && v.Kind() == constant.String {
		return []Text{plain(constant.StringVal(v), e)}
	}
	return nil
}

// product puts every text of one list before every text of another.
func product(a, b []Text) []Text {
	if len(a)*len(b) > maxTexts {
		return nil
	}
	var out []Text
	for _, x := range a {
		for _, y := range b {
			out = append(out, x.plus(y))
		}
	}
	return out
}

func (f *finder) object(obj types.Object, use ast.Expr, env scope, depth int) []Text {
	switch obj := obj.(type) {
	case *types.Const:
		if value := f.index().values[obj]; len(value) == 1 {
			return f.eval(value[0], nil, depth+1)
		}
		return f.constant(use)
	case *types.Var:
		if b, ok := env[obj]; ok {
			return b.texts
		}
		if file, ok := f.index().embeds[obj]; ok {
			return f.embedded(file, obj)
		}
		if p, ok := f.index().params[obj]; ok && f.index().values[obj] == nil && !f.index().open[obj] {
			return f.passed(p, depth)
		}
		return f.stored(obj, depth)
	}
	return nil
}

// stored lists the texts that a variable or a field is set to in the package.
// Of a local or an unexported global nothing is known if one of the values is
// not, nor of an exported global; a field has what is put in where a value of
// its struct is made, whatever else others put in.
func (f *finder) stored(v *types.Var, depth int) []Text {
	idx := f.index()
	if v.Pkg() != f.pass.Pkg || idx.open[v] || v.Exported() && v.Parent() == f.pass.Pkg.Scope() {
		return nil
	}
	var out []Text
	for _, value := range idx.values[v] {
		texts := f.eval(value, nil, depth+1)
		if texts == nil && !v.IsField() {
			return nil
		}
		out = append(out, texts...)
	}
	if len(out) > maxTexts {
		return nil
	}
	return out
}

func (f *finder) call(e *ast.CallExpr, env scope, depth int) []Text {
	if f.info.Types[e.Fun].IsType() { // string(x), []byte(x)
		if len(e.Args) == 1 {
			return f.eval(e.Args[0], env, depth+1)
		}
		return nil
	}
	fn := f.callee(e)
	if fn == nil {
		return nil
	}
	switch fn.FullName() {
	case "fmt.Sprintf":
		return f.sprintf(e, env, depth)
	case "strings.TrimSpace":
		return trimmed(f.eval(e.Args[0], env, depth+1))
	}
	decl := f.index().funcs[fn]
	if decl == nil || decl.Body == nil || e.Ellipsis.IsValid() {
		return nil
	}
	return f.returned(decl, f.bind(fn, e, env, depth), depth)
}

// bind evaluates what a call gives to the parameters of a function.
func (f *finder) bind(fn *types.Func, e *ast.CallExpr, env scope, depth int) scope {
	inner := scope{}
	params := fn.Signature().Params()
	for i := range min(params.Len(), len(e.Args)) {
		p := params.At(i)
		if f.index().open[p] || f.index().values[p] != nil {
			continue // it is set to something else
		}
		inner[p] = bound{f.eval(e.Args[i], env, depth+1), f.info.Types[e.Args[i]].Value}
	}
	return inner
}

// returned lists the first results of a function. One that is not known makes
// all of them unknown, but for the empty string beside an error.
func (f *finder) returned(decl *ast.FuncDecl, env scope, depth int) []Text {
	var out []Text
	known := true
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) == 0 {
				known = false
				return false
			}
			texts := f.eval(n.Results[0], env, depth+1)
			if texts == nil {
				known = false
			}
			for _, t := range texts {
				if len(n.Results) == 1 || t.String() != "" {
					out = append(out, t)
				}
			}
		}
		return known
	})
	if !known || len(out) > maxTexts {
		return nil
	}
	return out
}

// trimmed cuts space off, which is done within the first and last piece only.
func trimmed(texts []Text) []Text {
	var out []Text
	for _, t := range texts {
		if len(t.pieces) != 1 {
			return nil
		}
		p := t.pieces[0]
		start := len(p.text) - len(strings.TrimLeft(p.text, " \t\r\n"))
		t.pieces = []piece{p.cut(start, max(start, len(strings.TrimRight(p.text, " \t\r\n"))))}
		out = append(out, t)
	}
	return out
}

// sprintf is fmt.Sprintf: the literal parts of the format keep their places,
// what a verb writes of a constant comes from its argument, and of anything
// else it is a hole.
func (f *finder) sprintf(e *ast.CallExpr, env scope, depth int) []Text {
	formats := f.eval(e.Args[0], env, depth+1)
	if len(formats) != 1 || len(formats[0].pieces) != 1 || e.Ellipsis.IsValid() {
		return nil
	}
	format, args := formats[0].pieces[0], e.Args[1:]
	out := Text{}
	for at := 0; ; {
		i := strings.IndexByte(format.text[at:], '%')
		if i < 0 {
			out.pieces = append(out.pieces, format.cut(at, len(format.text)))
			break
		}
		verb := verbAt(format.text[at+i:])
		if verb == "" {
			return nil
		}
		out.pieces = append(out.pieces, format.cut(at, at+i))
		at += i + len(verb)
		if verb == "%%" {
			out.pieces = append(out.pieces, format.cut(at-1, at))
			continue
		}
		if len(args) == 0 {
			return nil
		}
		arg, ok := f.argument(args[0], verb, env, depth)
		if !ok {
			return nil
		}
		if last := len(arg) - 1; last >= 0 && (arg[last].hole == stringHole || arg[last].hole == quotedHole) {
			arg[last].text = strings.ReplaceAll(arg[last].text, "unknown", fmt.Sprintf("unknown%d", len(out.pieces)))
		}
		out.pieces, args = append(out.pieces, arg...), args[1:]
	}
	if len(args) > 0 {
		return nil
	}
	return []Text{out}
}

// verbAt is the verb at the start of a format, if it is a simple one.
func verbAt(format string) string {
	for i := 1; i < len(format); i++ {
		switch c := format[i]; {
		case strings.IndexByte("%sdvqtfg", c) >= 0:
			return format[:i+1]
		case c != '.' && (c < '0' || c > '9'):
			return ""
		}
	}
	return ""
}

// argument is what a verb writes of an argument.
func (f *finder) argument(e ast.Expr, verb string, env scope, depth int) ([]piece, bool) {
	if texts := f.eval(e, env, depth+1); len(texts) == 1 {
		if verb == "%s" || verb == "%v" {
			return texts[0].pieces, true
		}
		return []piece{{text: fmt.Sprintf(verb, texts[0].String()), from: e}}, verb == "%q"
	}
	value := f.info.Types[e].Value
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && value == nil {
		if p, ok := f.info.Uses[id].(*types.Var); ok {
			value = env[p].value
		}
	}
	t := f.info.TypeOf(e)
	if value == nil || hasMethods(t) {
		// What has methods, such as a time.Duration, may print itself.
		p := holeFor(t, verb)
		p.from = e
		return []piece{p}, p.hole != noHole
	}
	text, ok := formatted(value, verb)
	return []piece{{text: text, from: e}}, ok
}

// holeFor stands for what a verb writes of a value that is not known, other
// in every place, so that nothing follows from two of them being the same.
func holeFor(t types.Type, verb string) piece {
	b, ok := t.Underlying().(*types.Basic)
	last := verb[len(verb)-1]
	switch {
	case !ok:
		return piece{}
	case last == 'q' && b.Info()&types.IsString != 0:
		return piece{text: `"unknown"`, hole: quotedHole}
	case strings.IndexByte("dfg", last) >= 0, last == 'v' && b.Info()&types.IsNumeric != 0 && !hasMethods(t):
		return piece{text: "3", hole: numberHole}
	case last == 's' || last == 'v':
		return piece{text: "unknown", hole: stringHole}
	}
	return piece{}
}

func hasMethods(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.NumMethods() > 0
}

// formatted prints a constant number or boolean.
func formatted(v constant.Value, verb string) (string, bool) {
	if v == nil {
		return "", false
	}
	var text string
	switch v.Kind() {
	case constant.Int:
		n, exact := constant.Int64Val(v)
		if !exact {
			return "", false
		}
		text = fmt.Sprintf(verb, n)
	case constant.Float:
		n, _ := constant.Float64Val(v)
		text = fmt.Sprintf(verb, n)
	case constant.Bool:
		text = fmt.Sprintf(verb, constant.BoolVal(v))
	default:
		return "", false
	}
	return text, !strings.Contains(text, "%!")
}
