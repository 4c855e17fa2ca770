// Package lifetime has contexts that live shorter or longer than the work that
// is done on them, and look-alikes for which that is right.
package lifetime

import (
	"context"
	"net/http"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
	Save(ctx context.Context, id string) error
	Shutdown(ctx context.Context) error
}

type server struct{ s store }

// CTX103: detached, and nothing ends it.

func (h *server) detached(w http.ResponseWriter, r *http.Request) {
	go func() { // want `starts store.Save on a detached context \(context.WithoutCancel\) without a deadline, and nobody waits for it: give it a timeout \(CTX103\)`
		_ = h.s.Save(context.WithoutCancel(r.Context()), "1")
	}()
}

func (h *server) direct(w http.ResponseWriter, r *http.Request) {
	go h.s.Save(context.Background(), "1") // want `starts store.Save on a detached context \(context.Background\(\)\) .*\(CTX103\)`
}

func (h *server) bounded(w http.ResponseWriter, r *http.Request) {
	go func() {
		// Right: it ends by itself.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), time.Minute)
		defer cancel()
		_ = h.s.Save(ctx, "1")
	}()
}

type poller struct {
	s      store
	cancel context.CancelFunc
}

func (p *poller) cancellable(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go p.s.Save(ctx, "1") // Right: its owner can end it.
}

func (h *server) worker(w http.ResponseWriter, r *http.Request) {
	go func() {
		for range time.Tick(time.Second) { // Right: a worker has the life of the process.
			_ = h.s.Save(context.Background(), "1")
		}
	}()
}

func (h *server) scheduled(w http.ResponseWriter, r *http.Request) {
	go func() {
		select { // Right: it waits for its time, and cleans up then.
		case <-time.After(time.Hour):
		case <-r.Context().Done():
		}
		_ = h.s.Save(context.Background(), "1")
	}()
}

// CTX105: on the request's context, and after it.

func (h *server) outlived(w http.ResponseWriter, r *http.Request) {
	go func() { // want `starts store.Save on the request's context and does not wait for it: .*\(CTX105\)`
		_ = h.s.Save(r.Context(), "1")
	}()
}

func (h *server) outlivedBelow(w http.ResponseWriter, r *http.Request) { h.record(r.Context()) }

func (h *server) record(ctx context.Context) {
	go h.s.Save(ctx, "1") // want `starts store.Save on the request's context .*\(CTX105\)`
}

// Record has no request in sight: its context may have any life.
func (h *server) Record(ctx context.Context) {
	go h.s.Save(ctx, "1")
}

func (h *server) awaited(w http.ResponseWriter, r *http.Request) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		_ = h.s.Save(r.Context(), "1") // Right: the handler waits.
	}()
	wg.Wait()
}

func (h *server) heard(w http.ResponseWriter, r *http.Request) {
	done := make(chan error, 1)
	go func() { done <- h.s.Save(r.Context(), "1") }() // Right: the handler hears from it, or leaves with its context.
	select {
	case <-done:
	case <-r.Context().Done():
	}
}

func (h *server) stream(w http.ResponseWriter, r *http.Request) {
	go func() { _ = h.s.Save(r.Context(), "1") }() // Right: the handler stays, and the goroutine ends with it.
	for {
		if _, err := h.s.Load(r.Context(), "1"); err != nil {
			return
		}
	}
}

func (h *server) hedged(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go h.s.Save(ctx, "1") // Right: meant to end with the function.
	_, _ = h.s.Load(r.Context(), "1")
}

// CTX104: the owner's context instead of the caller's.

type cache struct {
	ctx  context.Context
	s    store
	seen int
}

func newCache(s store) *cache { return &cache{ctx: context.Background(), s: s} }

func (c *cache) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = c.s.Load(c.ctx, "1") // want `cache.ServeHTTP waits for store.Load on c.ctx, .*use r.Context\(\) \(CTX104\)`
	_, _ = c.s.Load(c.ctx, "2") // the same cause
}

func (c *cache) refresh() { _, _ = c.s.Load(c.ctx, "1") } // Right: no other context is at hand.

type query struct {
	ctx context.Context
	s   store
}

func (h *server) query(w http.ResponseWriter, r *http.Request) {
	q := &query{ctx: r.Context(), s: h.s}
	q.run(r.Context())
}

func (q *query) run(ctx context.Context) { _, _ = q.s.Load(q.ctx, "1") } // Right: the stored context is the request's.

// CTX107: a context that has ended.

func drain(ctx context.Context, s store) error {
	<-ctx.Done()
	return s.Shutdown(ctx) // want `lifetime.drain calls store.Shutdown on a context that is already done, .*\(CTX107\)`
}

func drainCase(ctx context.Context, s store, failed chan error) error {
	select {
	case err := <-failed:
		_ = s.Shutdown(ctx) // Right: the context is alive here.
		return err
	case <-ctx.Done():
		return s.Shutdown(ctx) // want `\(CTX107\)`
	}
}

func drainDerived(ctx context.Context, s store) error {
	if ctx.Err() != nil {
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		return s.Shutdown(short) // want `\(CTX107\)`
	}
	return nil
}

func drainFresh(ctx context.Context, s store) error {
	<-ctx.Done()
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return s.Shutdown(short) // Right: it lives.
}

func drainOther(ctx, other context.Context, s store) error {
	<-ctx.Done()
	return s.Shutdown(other) // Right: another context.
}

func drainSignal(ctx context.Context, s store, sig chan os.Signal) error {
	<-sig
	return s.Shutdown(ctx) // Right: it is the signal that came.
}

func group(ctx context.Context, s store) error {
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Save(gctx, "1") })
	if err := g.Wait(); err != nil {
		return err
	}
	return s.Save(gctx, "2") // want `lifetime.group calls store.Save on a context that is already done, .*\(CTX107\)`
}

func groupOuter(ctx context.Context, s store) error {
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Save(gctx, "1") })
	if err := g.Wait(); err != nil {
		return err
	}
	return s.Save(ctx, "2") // Right: after Wait, the outer one.
}

// CTX104: the outer context inside an errgroup.

func groupBeside(ctx context.Context, s store) error {
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Save(gctx, "1") })
	g.Go(func() error {
		return s.Save(ctx, "2") // want `lifetime.groupBeside waits for store.Save in a group on another context than the group's, so it goes on when the group has failed; use the one that errgroup.WithContext returns \(CTX104\)`
	})
	return g.Wait()
}

func groupDerived(ctx context.Context, s store) error {
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		c, cancel := context.WithTimeout(gctx, time.Second)
		defer cancel()
		return s.Save(c, "1") // Right: derived from the group's.
	})
	return g.Wait()
}

func groupShadowed(ctx context.Context, s store) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Save(ctx, "1") }) // Right: it is the group's.
	return g.Wait()
}

func groupBlank(ctx context.Context, s store) error {
	g, _ := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Save(ctx, "1") }) // Right: the members are to go on.
	return g.Wait()
}

func groupPlain(ctx context.Context, s store) error {
	var g errgroup.Group
	g.Go(func() error { return s.Save(ctx, "1") }) // Right: the group has no context.
	return g.Wait()
}

func groupDeferred(ctx context.Context, s store) error {
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer s.Shutdown(ctx) // Right: cleaning up must not end with the group.
		return s.Save(gctx, "1")
	})
	return g.Wait()
}

func groupTwo(ctx context.Context, s store) error {
	outer, octx := errgroup.WithContext(ctx)
	inner, ictx := errgroup.WithContext(octx)
	inner.Go(func() error { return s.Save(ictx, "1") })
	outer.Go(inner.Wait)
	outer.Go(func() error { return s.Save(octx, "2") }) // Right: each on its own group's.
	return outer.Wait()
}

func groupReused(ctx context.Context, s store) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, err := s.Load(ctx, "1"); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Save(ctx, "1") }) // Right: the one variable holds the group's by now.
	return g.Wait()
}
