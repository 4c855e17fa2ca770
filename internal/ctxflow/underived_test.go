package ctxflow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// makeForm is a way to make a context that derives from nothing. Its
// statements set out, a context.Context.
type makeForm struct {
	name    string
	imports string
	decls   string
	make    string
}

var makeForms = []makeForm{
	{name: "Background", make: `out = context.Background()`},
	{name: "TODO", make: `out = context.TODO()`},
	{
		name: "WithTimeout", imports: `import "time"`,
		make: `c, cancel := context.WithTimeout(context.Background(), time.Second)
			context.AfterFunc(c, cancel)
			out = c`,
	},
	{name: "WithValue", decls: `type key struct{}`, make: `out = context.WithValue(context.Background(), key{}, 1)`},
	{name: "variable", decls: `var root = context.Background()`, make: `out = root`},
	{name: "helper", decls: `func fresh() context.Context { return context.Background() }`, make: `out = fresh()`},
	{
		name: "alias", decls: `type Ctx = context.Context`,
		make: `var c Ctx = context.Background()
			out = c`,
	},
	{name: "custom pointer", decls: `type custom struct{ context.Context }`, make: `out = &custom{context.Background()}`},
}

// underivedShapes are ways to return what MAKE has put into out, although the
// function was given a context.
var underivedShapes = []struct{ name, home, text string }{
	{"function", "PKG.Help", `func Help(ctx context.Context) context.Context { var out context.Context; MAKE; return out }`},
	{"named result", "PKG.Help", `func Help(ctx context.Context) (out context.Context) { MAKE; return }`},
	{"second result", "PKG.Help", `func Help(ctx context.Context) (n int, out context.Context, err error) { MAKE; return 1, out, nil }`},
	{"method", "(*PKG.helper).Help", `
		type helper struct{}
		func (*helper) Help(ctx context.Context) (out context.Context) { MAKE; return out }`},
	{"generic", "PKG.Help", `func Help[T any](ctx context.Context, v T) (out context.Context) { MAKE; return out }`},
	{"provider", "PKG.Help", `
		type request struct{ ctx context.Context }
		func (r *request) Context() context.Context { return r.ctx }
		func Help(r *request) (out context.Context) { MAKE; return out }`},
	{"branch", "PKG.Help", `
		func Help(ctx context.Context, id string) context.Context {
			out := ctx
			if id == "" { MAKE }
			return out
		}`},
	{"loop", "PKG.Help", `
		func Help(ctx context.Context, ids []string) context.Context {
			out := ctx
			for range ids { MAKE }
			return out
		}`},
}

func TestUnderivedDisguises(t *testing.T) {
	sources := files{}
	for _, sh := range underivedShapes {
		for _, m := range makeForms {
			pkg := cellPath("underived", sh.name, m.name)
			text := strings.NewReplacer("MAKE", m.make, "PKG", pkg).Replace(sh.text)
			sources[pkg+"/p.go"] = fmt.Sprintf("package p\nimport \"context\"\n%s\n%s\n%s\nvar _ context.Context\n", m.imports, m.decls, text)
		}
	}
	results := load(t, sources).analyze(t, Config{})
	for _, sh := range underivedShapes {
		t.Run(sh.name, func(t *testing.T) {
			for _, m := range makeForms {
				pkg := cellPath("underived", sh.name, m.name)
				want := fmt.Sprintf("%s in %s", finding.UnderivedResult, strings.ReplaceAll(sh.home, "PKG", pkg))
				if got := summary(results[pkg]); got != want {
					t.Errorf("%s: got %q, want %q", m.name, got, want)
				}
			}
		})
	}
}
