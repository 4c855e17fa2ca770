package ctxflow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ctxprop/ctxprop/internal/finding"
)

// The disguise matrix: the same loss in every combination of how the root is
// made and how the code between the caller's context and the blocking call is
// written. It keeps rules from matching the shape of an example.

// rootForm is a way to make a root and to block on it. The statements of use
// set v and err; decls stand beside the function.
type rootForm struct {
	name    string
	imports string
	decls   string
	use     string
}

var rootForms = []rootForm{
	{name: "Background", use: `v, err = s.Load(context.Background(), id)`},
	{name: "TODO", use: `v, err = s.Load(context.TODO(), id)`},
	{
		name: "WithTimeout", imports: `import "time"`,
		use: `c, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			v, err = s.Load(c, id)`,
	},
	{name: "variable", decls: `var root = context.Background()`, use: `v, err = s.Load(root, id)`},
	{name: "helper", decls: `func fresh() context.Context { return context.Background() }`, use: `v, err = s.Load(fresh(), id)`},
	{
		name: "alias", decls: `type Ctx = context.Context`,
		use: `var c Ctx = context.Background()
			v, err = s.Load(c, id)`,
	},
	{name: "custom struct", decls: `type custom struct{ context.Context }`, use: `v, err = s.Load(custom{context.Background()}, id)`},
	{name: "custom pointer", decls: `type custom struct{ context.Context }`, use: `v, err = s.Load(&custom{context.Background()}, id)`},
	{
		name: "custom interface", decls: `
			type userContext interface { context.Context; User() string }
			type user struct{ context.Context }
			func (user) User() string { return "" }
			func newUser(ctx context.Context) userContext { return &user{ctx} }`,
		use: `v, err = s.Load(newUser(context.Background()), id)`,
	},
	{
		name: "request", imports: `import "net/http"`,
		use: `_ = s
			req, _ := http.NewRequestWithContext(context.Background(), "GET", id, nil)
			res, failed := http.DefaultClient.Do(req)
			v, err = res.Status, failed`,
	},
}

// shape is a way to write the code between a context and the blocking call.
// USE stands for a rootForm's statements, where s and id are in scope and
// v and err can be set. home is the function in which the root is made.
type shape struct {
	name    string
	code    finding.Code // "" for silence
	home    string       // as a key, PKG for the package's path
	imports string
	text    string
	// unlessBounded: silent if the root has a deadline of its own.
	unlessBounded bool
	far           string // text of another package, PKG/far, that makes the root
}

var shapes = []shape{
	{
		name: "direct", code: finding.FreshContext, home: "PKG.Entry",
		text: `func Entry(ctx context.Context, s sink, id string) (v string, err error) { USE; return v, err }`,
	},
	{
		name: "helper", code: finding.SeveredCallee, home: "PKG.help",
		text: `func Entry(ctx context.Context, s sink, id string) (string, error) { return help(s, id) }
			func help(s sink, id string) (v string, err error) { USE; return v, err }`,
	},
	{
		name: "method", code: finding.SeveredCallee, home: "(*PKG.worker).do",
		text: `func Entry(ctx context.Context, s sink, id string) (string, error) { return (&worker{s}).do(id) }
			type worker struct{ s sink }
			func (w *worker) do(id string) (v string, err error) { s := w.s; USE; return v, err }`,
	},
	{
		name: "captured closure", code: finding.FreshContext, home: "PKG.Entry",
		text: `func Entry(ctx context.Context, s sink, id string) (v string, err error) {
				do := func() { USE }
				do()
				return v, err
			}`,
	},
	{
		name: "capture-free closure", code: finding.FreshContext, home: "PKG.Entry",
		text: `func Entry(ctx context.Context, s sink, id string) (string, error) {
				return func(s sink, id string) (v string, err error) { USE; return v, err }(s, id)
			}`,
	},
	{
		name: "nested closure", code: finding.FreshContext, home: "PKG.Entry",
		text: `func Entry(ctx context.Context, s sink, id string) (v string, err error) {
				outer := func() { func() { USE }() }
				outer()
				return v, err
			}`,
	},
	{
		name: "go, wait group", code: finding.FreshContext, home: "PKG.Entry", imports: `import "sync"`,
		text: `func Entry(ctx context.Context, s sink, id string) (v string, err error) {
				var wg sync.WaitGroup
				wg.Add(1)
				go func() { defer wg.Done(); USE }()
				wg.Wait()
				return v, err
			}`,
	},
	{
		name: "go, channel", code: finding.FreshContext, home: "PKG.Entry",
		text: `func Entry(ctx context.Context, s sink, id string) (v string, err error) {
				done := make(chan struct{})
				go func() { defer close(done); USE }()
				<-done
				return v, err
			}`,
	},
	{
		name: "go, error group", code: finding.FreshContext, home: "PKG.Entry", imports: `import "golang.org/x/sync/errgroup"`,
		text: `func Entry(ctx context.Context, s sink, id string) (v string, err error) {
				var g errgroup.Group
				g.Go(func() (err error) { USE; return err })
				return v, g.Wait()
			}`,
	},
	{
		name: "go, named and awaited", code: finding.SeveredCallee, home: "PKG.work", imports: `import "sync"`,
		text: `func Entry(ctx context.Context, s sink, id string) {
				var wg sync.WaitGroup
				wg.Add(1)
				go work(&wg, s, id)
				wg.Wait()
			}
			func work(wg *sync.WaitGroup, s sink, id string) (v string, err error) { defer wg.Done(); USE; return v, err }`,
	},
	{
		name: "go, unawaited", code: finding.UnboundedDetach, home: "PKG.Entry", unlessBounded: true,
		text: `func Entry(ctx context.Context, s sink, id string) {
				go func() (v string, err error) { USE; return v, err }()
			}`,
	},
	{
		name: "defer", code: finding.FreshContext, home: "PKG.Entry",
		text: `func Entry(ctx context.Context, s sink, id string) (v string, err error) {
				defer func() { USE }()
				return "", nil
			}`,
	},
	{
		name: "method value", code: finding.SeveredCallee, home: "(*PKG.worker).do",
		text: `func Entry(ctx context.Context, s sink, id string) (string, error) {
				do := (&worker{s}).do
				return do(id)
			}
			type worker struct{ s sink }
			func (w *worker) do(id string) (v string, err error) { s := w.s; USE; return v, err }`,
	},
	{
		name: "method expression", code: finding.SeveredCallee, home: "(*PKG.worker).do",
		text: `func Entry(ctx context.Context, s sink, id string) (string, error) {
				return (*worker).do(&worker{s}, id)
			}
			type worker struct{ s sink }
			func (w *worker) do(id string) (v string, err error) { s := w.s; USE; return v, err }`,
	},
	{
		name: "handed method value", code: finding.SeveredCallee, home: "(*PKG.worker).do",
		text: `func Entry(ctx context.Context, s sink, id string) error { return each(id, (&worker{s}).do) }
			func each(id string, f func(string) (string, error)) error { _, err := f(id); return err }
			type worker struct{ s sink }
			func (w *worker) do(id string) (v string, err error) { s := w.s; USE; return v, err }`,
	},
	{
		name: "generic function", code: finding.SeveredCallee, home: "PKG.help",
		text: `func Entry(ctx context.Context, s sink, id string) (string, error) { return help(s, id, 1) }
			func help[T any](s sink, id string, extra T) (v string, err error) { USE; return v, err }`,
	},
	{
		name: "generic method", code: finding.SeveredCallee, home: "(*PKG.worker[T]).do",
		text: `func Entry(ctx context.Context, s sink, id string) (string, error) { return (&worker[int]{s: s}).do(id) }
			type worker[T any] struct{ s sink; extra T }
			func (w *worker[T]) do(id string) (v string, err error) { s := w.s; USE; return v, err }`,
	},
	{
		name: "generic entry", code: finding.FreshContext, home: "PKG.Entry",
		text: `func Entry[T any](ctx context.Context, s sink, id string, extra T) (v string, err error) { USE; return v, err }`,
	},
	{
		name: "range over func", code: finding.FreshContext, home: "PKG.Entry", imports: `import "iter"`,
		text: `func Entry(ctx context.Context, s sink, ids iter.Seq[string]) (v string, err error) {
				for id := range ids { USE }
				return v, err
			}`,
	},
	{
		name: "embedded field", code: finding.SeveredCallee, home: "(*PKG.inner).do",
		text: `func Entry(ctx context.Context, s sink, id string) (string, error) { return (&outer{inner{s}}).do(id) }
			type inner struct{ s sink }
			type outer struct{ inner }
			func (w *inner) do(id string) (v string, err error) { s := w.s; USE; return v, err }`,
	},
	{
		name: "embedded interface", code: finding.SeveredCallee, home: "(*PKG.worker).do",
		text: `type doer interface{ do(id string) (string, error) }
			type outer struct{ doer }
			func newOuter(s sink) *outer { return &outer{&worker{s}} }
			func (o *outer) Entry(ctx context.Context, id string) (string, error) { return o.do(id) }
			type worker struct{ s sink }
			func (w *worker) do(id string) (v string, err error) { s := w.s; USE; return v, err }`,
	},
	{
		name: "interface field", code: finding.SeveredCallee, home: "(*PKG.worker).do",
		text: `type service struct{ d interface{ do(id string) (string, error) } }
			func newService(s sink) *service { return &service{d: &worker{s}} }
			func (x *service) Entry(ctx context.Context, id string) (string, error) { return x.d.do(id) }
			type worker struct{ s sink }
			func (w *worker) do(id string) (v string, err error) { s := w.s; USE; return v, err }`,
	},
	{
		name: "function field", code: finding.SeveredCallee, home: "(*PKG.worker).do",
		text: `type service struct{ do func(id string) (string, error) }
			func newService(s sink) *service { return &service{do: (&worker{s}).do} }
			func (x *service) Entry(ctx context.Context, id string) (string, error) { return x.do(id) }
			type worker struct{ s sink }
			func (w *worker) do(id string) (v string, err error) { s := w.s; USE; return v, err }`,
	},
	{
		name: "closure in a field", code: finding.SeveredCallee, home: "PKG.newService",
		text: `type service struct{ do func(id string) (string, error) }
			func newService(s sink) *service {
				return &service{do: func(id string) (v string, err error) { USE; return v, err }}
			}
			func (x *service) Entry(ctx context.Context, id string) (string, error) { return x.do(id) }`,
	},
	{
		name: "package variable", code: finding.SeveredCallee, home: "PKG.help",
		text: `var do = help
			func Entry(ctx context.Context, s sink, id string) (string, error) { return do(s, id) }
			func help(s sink, id string) (v string, err error) { USE; return v, err }`,
	},
	{
		name: "other package", code: finding.SeveredCallee, home: "PKG/far.Help", imports: `import "PKG/far"`,
		text: `func Entry(ctx context.Context, s sink, id string) (string, error) { return far.Help(s, id) }`,
		far:  `func Help(s sink, id string) (v string, err error) { USE; return v, err }`,
	},
	{
		name: "other package's method", code: finding.SeveredCallee, home: "(*PKG/far.Worker).Do", imports: `import "PKG/far"`,
		text: `func Entry(ctx context.Context, w *far.Worker, id string) (string, error) { return w.Do(id) }`,
		far: `type Worker struct{ s sink }
			func (w *Worker) Do(id string) (v string, err error) { s := w.s; USE; return v, err }`,
	},
	{
		name: "other package's generic method", code: finding.SeveredCallee, home: "(*PKG/far.Worker[T]).Do", imports: `import "PKG/far"`,
		text: `func Entry(ctx context.Context, w *far.Worker[int], id string) (string, error) { return w.Do(id) }`,
		far: `type Worker[T any] struct{ s sink; extra T }
			func (w *Worker[T]) Do(id string) (v string, err error) { s := w.s; USE; return v, err }`,
	},
}

// cell writes the package of one cell, and the package beside it if it has one.
func cell(pkg string, r rootForm, sh shape) files {
	fill := strings.NewReplacer("USE", r.use, "PKG", pkg)
	file := func(imports, decls, text string) string {
		return fill.Replace(fmt.Sprintf(`package p

			import "context"
			%s

			type sink interface { Load(ctx context.Context, id string) (string, error) }

			var _ context.Context
			%s
			%s`, imports, decls, text))
	}
	if sh.far == "" {
		return files{pkg + "/p.go": file(r.imports+"\n"+sh.imports, r.decls, sh.text)}
	}
	out := files{
		pkg + "/p.go":       file(sh.imports, "", sh.text),
		pkg + "/far/far.go": strings.Replace(file(r.imports, r.decls, sh.far), "package p", "package far", 1),
	}
	return out
}

// cellPath turns the names of a cell into an import path.
func cellPath(names ...string) string {
	clean := strings.NewReplacer(" ", "-", ",", "", "'", "")
	return "matrix/" + clean.Replace(strings.Join(names, "/"))
}

func TestDisguises(t *testing.T) {
	sources := files{}
	for _, sh := range shapes {
		for _, r := range rootForms {
			for name, text := range cell(cellPath(sh.name, r.name), r, sh) {
				sources[name] = text
			}
		}
	}
	results := load(t, sources).analyze(t, Config{})
	for _, sh := range shapes {
		t.Run(sh.name, func(t *testing.T) {
			for _, r := range rootForms {
				pkg := cellPath(sh.name, r.name)
				want := ""
				if sh.code != "" && !(sh.unlessBounded && r.name == "WithTimeout") {
					want = fmt.Sprintf("%s in %s", sh.code, strings.ReplaceAll(sh.home, "PKG", pkg))
				}
				if got := summary(results[pkg], results[pkg+"/far"]); got != want {
					t.Errorf("%s: got %q, want %q", r.name, got, want)
				}
			}
		})
	}
}

// summary says which codes were found in which homes.
func summary(results ...*Result) string {
	var out []string
	for _, r := range results {
		if r == nil {
			continue
		}
		for _, v := range r.Verdicts {
			out = append(out, fmt.Sprintf("%s in %s", v.Code, v.Home))
		}
	}
	return strings.Join(out, ", ")
}
