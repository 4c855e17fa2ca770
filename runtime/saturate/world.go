package saturate

import (
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Streams of random numbers, one per use, so that a change in one place does
// not shift the draws of another.
const (
	streamService = 1 + iota
	streamArrivals
	streamBackoff
)

// A setupError is a mistake in the scenario that shows when it is built.
type setupError string

func (e setupError) Error() string { return string(e) }

// A world is everything that belongs to one trial.
type world struct {
	sc       *Scenario
	seed     uint64
	clock    Clock // Virtual or Real
	dep      *dependency
	services []*service
	impls    map[string]string // full method to Go method, of all services
	rands    atomic.Uint64     // calls of Deps.Rand

	// progress moves with every step of the trial, for the watchdog, which may
	// set quit to let a trial that it gave up end.
	progress, quit *atomic.Int64

	mu       sync.Mutex
	attempts []*attempt
	rec      *record
	dialers  map[string]bool // functions that dialled, as go/types names them
	closers  []func()
	failed   string // why the trial does not count
}

func newWorld(sc *Scenario, seed uint64, clock Clock, progress, quit *atomic.Int64) *world {
	w := &world{sc: sc, seed: seed, clock: clock, impls: map[string]string{}, dialers: map[string]bool{}, progress: progress, quit: quit}
	hops := sc.services()
	w.rec = newRecord(hops)
	w.dep = newDependency(w)
	for i, hop := range hops {
		w.services = append(w.services, newService(w, i, hop))
	}
	for _, s := range w.services {
		s.register()
	}
	return w
}

// record changes the present record and returns it.
func (w *world) record(f func(*record)) *record {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(w.rec)
	return w.rec
}

// restart begins a new record and returns the old one.
func (w *world) restart() *record {
	w.mu.Lock()
	defer w.mu.Unlock()
	old := w.rec
	w.rec = newRecord(w.sc.services())
	maps.Copy(w.rec.methods, old.methods)
	return old
}

// fail notes the first reason why the trial does not count.
func (w *world) fail(reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == "" {
		w.failed = reason
	}
}

// failure returns why the trial does not count, "" if it does.
func (w *world) failure() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// triggered reports whether a trigger of this kind acts now.
func (w *world) triggered(kind TriggerKind) bool {
	if w.sc.Trigger.Kind != kind {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if kind == Blackout {
		return w.rec.blackout
	}
	from, to, _ := w.sc.phases()
	since := time.Since(w.rec.start)
	return w.rec.measured && since >= from && since < to
}

func (w *world) onClose(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closers = append(w.closers, f)
}

// close ends connections and servers, front first, and waits for the handlers.
func (w *world) close() {
	for _, s := range w.services {
		s.server.Stop()
	}
	w.dep.server.Stop()
	w.mu.Lock()
	closers := w.closers
	w.closers = nil
	w.mu.Unlock()
	for _, f := range slices.Backward(closers) {
		f()
	}
}

// dialled notes the functions that the service dials in, those between the
// adapter and the harness that calls it: the options of a connection are theirs.
func (w *world) dialled() {
	own := func(f runtime.Frame) bool {
		return strings.HasPrefix(f.Function, "github.com/ctxprop/ctxprop/runtime/saturate.")
	}
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	f, more := frames.Next()
	for ; more && own(f); f, more = frames.Next() { // the adapter
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for ; more && !own(f); f, more = frames.Next() {
		for _, name := range declared(f.Function) {
			w.dialers[name] = true
		}
	}
}

// declared turns the runtime's name of a function into the one that go/types
// gives it, of a closure into that of the function that it is in:
// example.com/orders.(*Shop).Dial.func1 is (*example.com/orders.Shop).Dial. A
// closure of a function that was inlined looks like one of a method, so that
// there is more than one answer.
func declared(name string) []string {
	name = strings.ReplaceAll(name, "[...]", "") // type arguments
	dir := strings.LastIndexByte(name, '/') + 1
	pkg, rest, _ := strings.Cut(name[dir:], ".")
	path, parts := strings.ReplaceAll(name[:dir]+pkg, "%2e", "."), strings.Split(rest, ".")
	if len(parts) == 1 || closure.MatchString(parts[1]) {
		return []string{path + "." + parts[0]}
	}
	if recv, pointer := strings.CutPrefix(parts[0], "(*"); pointer {
		return []string{"(*" + path + "." + strings.TrimSuffix(recv, ")") + ")." + parts[1]}
	}
	method := "(" + path + "." + parts[0] + ")." + parts[1]
	if len(parts) == 2 {
		return []string{method}
	}
	return []string{method, path + "." + parts[0], path + "." + parts[1]}
}

// closure matches the part of a name that counts closures.
var closure = regexp.MustCompile(`^(func|gowrap|deferwrap)?\d+$`)

// handlers lists the Go methods that served the methods of the record.
func (w *world) handlers() (methods, impls []string) {
	methods, impls = slices.Sorted(maps.Keys(w.rec.methods)), []string{}
	for _, m := range methods {
		if impl := w.impls[m]; impl != "" {
			impls = append(impls, impl)
		}
	}
	return methods, impls
}
