package fix_test

import (
	"fmt"
	"go/ast"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/ctxprop/ctxprop/internal/fix"
)

// TestGenerated asks for every fix in generated files, sensible or not: each
// root context may become any variable of its function or its Context method.
// What is offered must compile alone and together with any of the others.
func TestGenerated(t *testing.T) {
	files, least := 100, 250
	if testing.Short() {
		files, least = 30, 60
	}
	offered, rejected := 0, 0
	for seed := range files {
		src := source{"lib.go": generatedLib, "p.go": generateFile(uint64(seed))}
		pass, err := src.load()
		if err != nil {
			rejected++
			continue
		}
		fixes := allFixes(pass, rand.New(rand.NewPCG(uint64(seed), 2)))
		offered += len(fixes)
		checkSubsets(t, src, pass, fixes)
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, src["p.go"])
		}
	}
	if offered < least {
		t.Errorf("%d fixes are offered for %d files, of which %d do not compile: too few to show anything", offered, files, rejected)
	}
}

// allFixes tries the variables of each function in random order for each root,
// and keeps the first that is accepted.
func allFixes(pass *analysis.Pass, rnd *rand.Rand) []analysis.SuggestedFix {
	b := fix.NewBuilder(pass)
	var replacements []*fix.Replacement
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			if _, ok := decl.(*ast.FuncDecl); !ok {
				continue
			}
			vars := variables(pass.TypesInfo, decl)
			for _, call := range roots(decl) {
				for _, i := range rnd.Perm(len(vars)) {
					method := []string{"", "Context"}[rnd.IntN(2)]
					if r, err := b.ReplaceRoot(call, fix.Expr{Var: vars[i], Method: method}); err == nil {
						replacements = append(replacements, r)
						break
					}
				}
			}
		}
	}
	var fixes []analysis.SuggestedFix
	for _, r := range replacements {
		fixes = append(fixes, r.Fix())
	}
	return fixes
}

const generatedLib = `package p

import "context"

type Stream interface{ Context() context.Context }

type custom struct{ context.Context }

type provider struct{ ctx context.Context }

func (p *provider) Context() context.Context { return p.ctx }

func work(ctx context.Context, args ...any) error { return ctx.Err() }

func derive(ctx context.Context) (context.Context, func()) { return ctx, func() {} }

func set(p *context.Context) {}

func same[T any](v T) T { return v }
`

// generator writes functions whose statements are drawn at random. They
// mostly compile, since names are declared before they are used and used
// afterwards; those that do not are left out.
type generator struct {
	out   strings.Builder
	rnd   *rand.Rand
	depth int
	root  string     // how package context is called
	names [][]string // the names of type context.Context, by scope
}

// generateFile returns a file in which package context is imported in one of
// several forms and may have no uses but those that fixes take away.
func generateFile(seed uint64) string {
	g := &generator{rnd: rand.New(rand.NewPCG(seed, 1)), root: "context"}
	imports := []string{
		"import \"context\"\n",
		"import (\n\t\"context\"\n)\n",
		"import (\n\t\"context\" // comment\n\n\t_ \"net/http\"\n)\n",
		"import (\n\t_ \"net/http\"\n\n\t// comment\n\t\"context\"\n)\n",
		"import root \"context\"\n",
	}
	spec := imports[g.rnd.IntN(len(imports))]
	if strings.Contains(spec, "root") {
		g.root = "root"
	}
	g.printf("package p\n\n%s\n", spec)
	g.printf("func first(p *provider) error { return work(%s) }\n\n", g.fresh())
	for i := range 1 + g.rnd.IntN(4) {
		g.function(i)
	}
	return g.out.String()
}

func (g *generator) printf(format string, args ...any) {
	fmt.Fprintf(&g.out, format, args...)
}

// one calls one of the alternatives.
func (g *generator) one(alternatives ...func()) {
	alternatives[g.rnd.IntN(len(alternatives))]()
}

func (g *generator) fresh() string {
	return g.root + "." + []string{"Background()", "TODO()"}[g.rnd.IntN(2)]
}

// value is an expression of type context.Context.
func (g *generator) value() string {
	known := []string{g.fresh(), g.fresh(), "(" + g.fresh() + ")", "same(" + g.fresh() + ")", "p.Context()"}
	for _, scope := range g.names {
		known = append(known, scope...)
	}
	return known[g.rnd.IntN(len(known))]
}

// name returns a name for a new variable, often one that shadows.
func (g *generator) name() string { return []string{"ctx", "ctx", "c", "p2"}[g.rnd.IntN(4)] }

func (g *generator) function(i int) {
	g.names = [][]string{nil}
	params := []string{"", "_ Stream", "s Stream", "cc custom"}[g.rnd.IntN(4)]
	if g.rnd.IntN(2) == 0 && g.root == "context" {
		params = strings.TrimPrefix(params+", ctx context.Context", ", ")
		g.names[0] = []string{"ctx"}
	}
	g.printf("func f%d(p *provider, %s) (err error) {\n", i, params)
	g.list()
	g.printf("return work(%s)\n}\n\n", g.value())
}

// list writes some statements in the current scope.
func (g *generator) list() {
	for range 1 + g.rnd.IntN(4) {
		g.statement()
		if g.rnd.IntN(4) == 0 {
			g.printf("\n")
		}
	}
}

// block writes a block, a branch, a loop or a function literal. The last
// statement uses the names of the block.
func (g *generator) block(head, tail string) {
	g.depth++
	g.names = append(g.names, nil)
	g.printf("%s", head)
	g.list()
	for _, name := range g.names[len(g.names)-1] {
		g.printf("_ = %s\n", name)
	}
	g.names = g.names[:len(g.names)-1]
	g.printf("%s\n", tail)
	g.depth--
}

func (g *generator) statement() {
	if g.depth < 3 && g.rnd.IntN(3) == 0 {
		g.one(
			func() { g.block("{\n", "}") },
			func() { g.block("if err != nil {\n", "}") },
			func() { g.block("for range 2 {\n", "}") },
			func() { g.block("switch { case err == nil:\n", "}") },
			func() { g.block("select {\ndefault:\n", "}") },
			func() { g.block("func() error {\n", "return nil\n}()") },
			func() { g.block("defer func() error {\n", "return nil\n}()") },
			func() { g.block("go func() error {\n", "return nil\n}()") },
			func() { g.block(fmt.Sprintf("if ctx := %s; ctx != nil {\n_ = ctx\n", g.value()), "}") },
			func() {
				g.block(fmt.Sprintf("switch ctx := any(%s).(type) { case custom:\n_ = ctx\n", g.value()), "}")
			},
		)
		return
	}
	g.one(
		func() { g.printf("_ = work(%s, %s)\n", g.value(), g.value()) },
		func() { g.printf("err = work(%s) // comment\n", g.value()) },
		func() { g.printf("_ = work(%s); err = nil\n", g.value()) },
		func() { g.printf("<-%s.Done()\n", g.value()) },
		func() { g.printf("defer work(%s)\n", g.value()) },
		func() { g.printf("_, _ = derive(%s)\n", g.value()) },
		g.declare, g.declare, g.declare,
		g.assign, g.assign,
		func() { g.printf("p = &provider{%s}\n", g.value()) },
	)
}

// declare writes a declaration of a new name, in one of its forms.
func (g *generator) declare() {
	name, value := g.name(), g.value()
	inner := &g.names[len(g.names)-1]
	for _, old := range *inner {
		if old == name {
			return
		}
	}
	g.one(
		func() { g.printf("%s := %s\n", name, value) },
		func() { g.printf("%s := %s; _ = err\n", name, value) },
		func() { g.printf("var %s = %s\n", name, value) },
		func() { g.printf("%s, stop := derive(%s)\n_ = stop\nstop()\n", name, value) },
		func() { g.printf("%s, _ := derive(%s)\n", name, value) },
		func() { g.printf("%s, n := %s, 1\n_ = n\n", name, value) },
		func() { g.printf("var %s %s.Context = %s\n", name, g.root, value) },
	)
	g.printf("_ = %s\n", name)
	*inner = append(*inner, name)
}

// assign writes an assignment to a name that is in scope.
func (g *generator) assign() {
	var known []string
	for _, scope := range g.names {
		known = append(known, scope...)
	}
	if len(known) == 0 {
		return
	}
	name := known[g.rnd.IntN(len(known))]
	g.one(
		func() { g.printf("%s = %s\n", name, g.value()) },
		func() { g.printf("%s, err = %s, nil\n", name, g.value()) },
		func() { g.printf("%s, _ = derive(%s)\n", name, g.value()) },
		func() { g.printf("set(&%s)\n", name) },
		func() { g.printf("if %s == nil { return nil }\n", name) },
	)
}
