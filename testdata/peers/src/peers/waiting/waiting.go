// Package waiting has waits and loops that the end of a context does not end.
package waiting

import (
	"context"
	"net/http"
	"sync"
	"time"
)

type store interface {
	Save(ctx context.Context, id string) error
}

type hub struct {
	jobs, more chan int
	s          store
}

func newHub(s store) *hub { return &hub{jobs: make(chan int), more: make(chan int), s: s} }

// Sleep sleeps on whoever waits.
func Sleep(w http.ResponseWriter, r *http.Request) {
	time.Sleep(time.Second) // want `CTX203`
}

// Glance looks at the context, and then sends without it: where nobody
// receives, the case that was looked at is past.
func (h *hub) Glance(w http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
		return
	default:
		h.jobs <- 1 // want `CTX203`
	}
}

// GlanceGiven is as Glance with a channel of its caller, who may know that
// there is room in it.
func GlanceGiven(ctx context.Context, ch chan<- int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	default:
		ch <- 1
	}
	return nil
}

// Send waits for either.
func (h *hub) Send(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case h.jobs <- 1:
	}
	return nil
}

// Range goes through a channel until it is closed, which is how its sender
// ends it.
func Range(ctx context.Context, s store, ids <-chan string) error {
	for id := range ids {
		if err := s.Save(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// Selects waits for either of two others, for ever.
func (h *hub) Selects(w http.ResponseWriter, r *http.Request) {
	for { // want `CTX204`
		select {
		case <-h.jobs:
			_ = h.s.Save(r.Context(), "1")
		case <-h.more:
		}
	}
}

// Ticks is woken by its ticker at least.
func (h *hub) Ticks(w http.ResponseWriter, r *http.Request) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-h.jobs:
			_ = h.s.Save(r.Context(), "1")
		case <-tick.C:
			if r.Context().Err() != nil {
				return
			}
		}
	}
}

// Stays sees that the context has ended, and goes on.
func (h *hub) Stays(ctx context.Context) {
	for {
		select {
		case <-h.jobs:
			_ = h.s.Save(ctx, "1")
		case <-ctx.Done(): // want `CTX204`
		}
	}
}

// Leaves sees it and leaves.
func (h *hub) Leaves(ctx context.Context) {
	for {
		select {
		case <-h.jobs:
			_ = h.s.Save(ctx, "1")
		case <-ctx.Done():
			return
		}
	}
}

// LeavesFirst asks in the first case, and works in the last.
func (h *hub) LeavesFirst(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.jobs:
			_ = h.s.Save(ctx, "1")
		}
	}
}

// Local waits for what it has started.
func Local(ctx context.Context, s store) error {
	done := make(chan error, 1)
	go func() { done <- s.Save(ctx, "1") }()
	return <-done
}

// Joined waits for goroutines that end with the context.
func Joined(ctx context.Context, s store, ids []string) {
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() { _ = s.Save(ctx, id) })
	}
	wg.Wait()
}

// Locked waits for a mutex, which no context can end.
func Locked(ctx context.Context, mu *sync.Mutex, s store) error {
	mu.Lock()
	defer mu.Unlock()
	return s.Save(ctx, "1")
}
