package ctxflow

import (
	"fmt"
	"maps"
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
	ends    bool // it has a deadline, or a cancel function that is called
}

var rootForms = []rootForm{
	{name: "Background", use: `v, err = s.Load(context.Background(), id)`},
	{name: "TODO", use: `v, err = s.Load(context.TODO(), id)`},
	{
		name: "WithTimeout", imports: `import "time"`, ends: true,
		use: `c, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			v, err = s.Load(c, id)`,
	},
	{
		name: "WithCancel", ends: true,
		use: `c, cancel := context.WithCancel(context.Background())
			defer cancel()
			v, err = s.Load(c, id)`,
	},
	{name: "WithValue", decls: `type key struct{}`, use: `v, err = s.Load(context.WithValue(context.Background(), key{}, 1), id)`},
	{
		name: "error group", imports: `import group "golang.org/x/sync/errgroup"`,
		use: `_, c := group.WithContext(context.Background())
			v, err = s.Load(c, id)`,
	},
	{
		name: "local struct",
		use: `job := struct{ ctx context.Context; id string }{context.Background(), id}
			v, err = s.Load(job.ctx, job.id)`,
	},
	{
		name: "passed on", decls: `func load(ctx context.Context, s sink, id string) (string, error) { return s.Load(ctx, id) }`,
		use: `v, err = load(context.Background(), s, id)`,
	},
	{
		name: "wrapped", decls: `
			type key struct{}
			func tagged(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, 1) }`,
		use: `v, err = s.Load(tagged(tagged(context.Background())), id)`,
	},
	{
		name: "function value",
		use: `load := s.Load
			v, err = load(context.Background(), id)`,
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
	// unlessEnding: silent if the root has a deadline or is cancelled.
	unlessEnding bool
	far          string // text of another package, PKG/far, that makes the root
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
		name: "go, unawaited", code: finding.UnboundedDetach, home: "PKG.Entry", unlessEnding: true,
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
		name: "returned closure", code: finding.SeveredCallee, home: "PKG.loader",
		text: `func Entry(ctx context.Context, s sink, id string) (string, error) { return loader(s)(id) }
			func loader(s sink) func(string) (string, error) {
				return func(id string) (v string, err error) { USE; return v, err }
			}`,
	},
	{
		name: "closure handed to a parameter", code: finding.FreshContext, home: "PKG.Entry",
		text: `func Entry(ctx context.Context, s sink, id string) (v string, err error) {
				each(3, func(int) { USE })
				return v, err
			}
			func each(n int, f func(int)) { for i := range n { f(i) } }`,
	},
	{
		name: "sync callback of a library", code: finding.FreshContext, home: "PKG.Entry", imports: `import "sort"`,
		text: `func Entry(ctx context.Context, s sink, id string) (v string, err error) {
				_ = sort.Search(3, func(int) bool { USE; return v == "" })
				return v, err
			}`,
	},
	{
		name: "closure in a local struct", code: finding.FreshContext, home: "PKG.Entry",
		text: `func Entry(ctx context.Context, s sink, id string) (v string, err error) {
				step := struct{ do func() }{func() { USE }}
				step.do()
				return v, err
			}`,
	},
	{
		name: "select case", code: finding.FreshContext, home: "PKG.Entry",
		text: `func Entry(ctx context.Context, s sink, ids chan string) (v string, err error) {
				select {
				case id := <-ids: USE
				case <-ctx.Done(): return "", ctx.Err()
				}
				return v, err
			}`,
	},
	{
		name: "type switch", code: finding.FreshContext, home: "PKG.Entry",
		text: `func Entry(ctx context.Context, s sink, x any) (v string, err error) {
				switch id := x.(type) {
				case string: USE
				}
				return v, err
			}`,
	},
	{
		name: "recursion", code: finding.SeveredCallee, home: "PKG.walk",
		text: `func Entry(ctx context.Context, s sink, id string) (string, error) { return walk(3, s, id) }
			func walk(n int, s sink, id string) (v string, err error) {
				if n > 0 { return walk(n-1, s, id) }
				USE
				return v, err
			}`,
	},
	{
		name: "deep chain", code: finding.SeveredCallee, home: "PKG.d",
		text: `func Entry(ctx context.Context, s sink, id string) (string, error) { return a(s, id) }
			func a(s sink, id string) (string, error) { return b(s, id) }
			func b(s sink, id string) (string, error) { return c(s, id) }
			func c(s sink, id string) (string, error) { return d(s, id) }
			func d(s sink, id string) (v string, err error) { USE; return v, err }`,
	},
	{
		name: "two goroutines deep", code: finding.FreshContext, home: "PKG.Entry", imports: `import "sync"`,
		text: `func Entry(ctx context.Context, s sink, id string) (v string, err error) {
				var outer, inner sync.WaitGroup
				outer.Add(1)
				go func() {
					defer outer.Done()
					inner.Add(1)
					go func() { defer inner.Done(); USE }()
					inner.Wait()
				}()
				outer.Wait()
				return v, err
			}`,
	},
	{
		name: "worker closures over a channel", code: finding.FreshContext, home: "PKG.Entry",
		text: `func Entry(ctx context.Context, s sink, ids []string) (out []string) {
				results := make(chan string)
				for _, id := range ids {
					go func() { var v string; var err error; USE; _ = err; results <- v }()
				}
				for range ids { out = append(out, <-results) }
				return out
			}`,
	},
	{
		name: "provider at hand", code: finding.FreshContext, home: "PKG.Entry",
		text: `type request struct{ ctx context.Context }
			func (r *request) Context() context.Context { return r.ctx }
			func Entry(r *request, s sink, id string) (v string, err error) { USE; return v, err }`,
	},
	{
		name: "named function in a goroutine's closure", code: finding.SeveredCallee, home: "PKG.help",
		text: `func Entry(ctx context.Context, s sink, id string) error {
				done := make(chan error)
				go func() { _, err := help(s, id); done <- err }()
				return <-done
			}
			func help(s sink, id string) (v string, err error) { USE; return v, err }`,
	},
	{
		name: "deferred with a result", code: finding.SeveredCallee, home: "PKG.help",
		text: `func Entry(ctx context.Context, s sink, id string) (v string, err error) {
				defer func() { v, err = help(s, id) }()
				return "", nil
			}
			func help(s sink, id string) (v string, err error) { USE; return v, err }`,
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

// disguises writes the packages of all cells.
func disguises() files {
	out := files{}
	for _, sh := range shapes {
		for _, r := range rootForms {
			maps.Copy(out, cell(cellPath(sh.name, r.name), r, sh))
		}
	}
	return out
}

func TestDisguises(t *testing.T) {
	results := load(t, disguises()).analyze(t, Config{})
	for _, sh := range shapes {
		t.Run(sh.name, func(t *testing.T) {
			for _, r := range rootForms {
				pkg := cellPath(sh.name, r.name)
				want := ""
				if sh.code != "" && !(sh.unlessEnding && r.ends) {
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
