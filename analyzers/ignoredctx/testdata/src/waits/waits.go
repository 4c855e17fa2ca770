// Package waits has waits that cancellation cannot end, beside such that end
// by themselves.
package waits

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

func Sleep(ctx context.Context, d time.Duration) error {
	time.Sleep(d) // want `^time\.Sleep in waits\.Sleep goes on past the caller's deadline; wait for ctx\.Done\(\) as well \(CTX203\)$`
	return nil
}

func Short(ctx context.Context) error {
	time.Sleep(20 * time.Millisecond) // silent: shorter than any deadline
	return nil
}

func NotSoShort(ctx context.Context) (n int, s string, err error) {
	time.Sleep(200 * time.Millisecond) // want `^time\.Sleep in waits\.NotSoShort`
	return 1, "", nil
}

type pair struct{ a, b int }

func Values(ctx context.Context) (pair, []int, *pair, error) {
	time.Sleep(time.Second) // want `^time\.Sleep in waits\.Values`
	return pair{}, nil, nil, nil
}

// Bool cannot say why it ends: no fix.
func Bool(ctx context.Context) bool {
	time.Sleep(time.Second) // want `^time\.Sleep in waits\.Bool`
	return true
}

func handle(w http.ResponseWriter, r *http.Request) {
	time.Sleep(time.Second) // want `^time\.Sleep in waits\.handle goes on past the request's deadline; wait for r\.Context\(\)\.Done\(\) as well \(CTX203\)$`
	w.WriteHeader(http.StatusNoContent)
}

func After(ctx context.Context) error {
	<-time.After(time.Second) // want `^the wait for time\.After in waits\.After`
	return nil
}

func Timer(ctx context.Context) error {
	t := time.NewTimer(time.Second)
	defer t.Stop()
	<-t.C // want `^the wait for a timer in waits\.Timer`
	return nil
}

func ShortTimer(ctx context.Context) error {
	<-time.After(time.Millisecond) // silent: shorter than any deadline
	return nil
}

func Selected(ctx context.Context) error {
	select {
	case <-time.After(time.Second): // silent: Done ends it
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type request struct {
	id    string
	reply chan string
}

type worker struct {
	jobs    chan request
	settled chan struct{}
	quit    chan struct{}
	results chan string
	slots   chan struct{}
	wg      sync.WaitGroup
	mu      sync.Mutex
	cond    *sync.Cond
}

func (w *worker) Ask(ctx context.Context, id string) string {
	req := request{id, make(chan string, 1)}
	w.jobs <- req      // want `^the send on w\.jobs in worker\.Ask`
	return <-req.reply // want `^the receive from req\.reply in worker\.Ask`
}

// Answer never waits: each reply has a buffer of its own.
func (w *worker) Answer(ctx context.Context, req *request) {
	req.reply <- "done" // silent: a channel that came as a parameter
}

func (w *worker) Settled(ctx context.Context) error {
	<-w.settled // want `^the receive from w\.settled in worker\.Settled`
	return nil
}

func (w *worker) Both(ctx context.Context) string {
	select { // want `^the select in worker\.Both`
	case s := <-w.results:
		return s
	case w.jobs <- request{}:
		return ""
	}
}

// Quits may be told to end by w's owner.
func (w *worker) Quits(ctx context.Context) string {
	select { // silent: quit is closed when the worker ends, and no request is known to wait
	case s := <-w.results:
		return s
	case <-w.quit:
		return ""
	}
}

func (w *worker) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	select { // want `^the select in worker\.ServeHTTP goes on past the request's deadline`
	case s := <-w.results:
		_, _ = rw.Write([]byte(s))
	case <-w.quit:
	}
}

func (w *worker) Try(ctx context.Context) bool {
	select { // silent: it does not wait
	case w.jobs <- request{}:
		return true
	default:
		return false
	}
}

func (w *worker) Limited(ctx context.Context, do func()) {
	w.slots <- struct{}{} // want `^the send on w\.slots in worker\.Limited`
	do()
	<-w.slots // silent: it gives back what it took
}

func (w *worker) release(ctx context.Context) {
	<-w.slots // silent: named after the release
}

// Shut tells the other side to end first.
func (w *worker) Close(ctx context.Context) {
	close(w.quit)
	<-w.settled // silent: told to end
	w.wg.Wait() // silent: told to end
}

func (w *worker) Drained(ctx context.Context) error {
	w.wg.Wait() // want `^WaitGroup\.Wait in worker\.Drained`
	return nil
}

func (w *worker) Locked(ctx context.Context) {
	w.mu.Lock() // silent: Go has no lock that a context ends
	defer w.mu.Unlock()
}

func (w *worker) Signalled(ctx context.Context) {
	w.cond.L.Lock()
	w.cond.Wait() // want `^Cond\.Wait in worker\.Signalled`
	w.cond.L.Unlock()
}

func Joined(ctx context.Context, ids []string, load func(context.Context, string) error) error {
	var wg sync.WaitGroup
	errs := make(chan error, len(ids))
	for _, id := range ids {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs <- load(ctx, id) // silent: the other side is below
		}()
	}
	wg.Wait() // silent: the goroutines end with ctx
	close(errs)
	var all error
	for err := range errs {
		all = errors.Join(all, err)
	}
	return all
}

func FirstOf(ctx context.Context, load func(context.Context) error) error {
	ch := make(chan error)
	go func() { ch <- load(ctx) }() // silent: the receive follows
	return <-ch                     // silent: the goroutine ends with ctx
}

func Param(ctx context.Context, in <-chan int, out chan<- int) {
	out <- <-in // silent: whose channels these are, the caller knows
}

func Subscribed(ctx context.Context, subscribe func(context.Context) <-chan int) int {
	return <-subscribe(ctx) // silent: what was made under a context may end with it
}

func Deferred(ctx context.Context, w *worker) {
	defer w.wg.Wait() // silent: on the way out
}

func AfterDone(ctx context.Context, w *worker) {
	<-ctx.Done()
	time.Sleep(time.Second) // silent: the context has ended, this is the way down
}

func Apart(ctx context.Context) {
	go time.Sleep(time.Minute) // silent: nobody waits
	go func() {
		time.Sleep(time.Minute) // silent: nobody waits
	}()
}

func Nobody() {
	time.Sleep(time.Minute) // silent: no caller with a context is in sight
}

// Run is the process's own loop.
func Run(ctx context.Context) {
	time.Sleep(time.Second) // silent: start-up
}

func Blank(_ context.Context) {
	time.Sleep(time.Second) // silent: the function declares that it does not use its context
}

func (w *worker) enter() { w.slots <- struct{}{} } // want `^worker\.enter waits in the send on w\.slots, past the deadline of the caller of worker\.Guarded; give enter a ctx and wait for its Done as well \(CTX203\)$`

func (w *worker) Guarded(ctx context.Context, do func(context.Context) error) error {
	w.enter()
	defer w.leave()
	return do(ctx)
}

func (w *worker) leave() { <-w.slots } // silent: only in defers
