package guard

import (
	"context"
	"sync"
	"time"
)

// resolution is how exactly the moment of an early cancellation is known. A
// deadline is known to the nanosecond.
const resolution = 10 * time.Millisecond

// A watch knows when the callers of running calls left. Asking each context to
// tell (context.AfterFunc) would cost four allocations a call; looking at all of
// them now and then costs none. A timer does it rather than a goroutine, which
// would be there for a while after the last call and count as a leak in tests.
type watch struct {
	mu      sync.Mutex
	calls   map[*watched]struct{}
	timer   *time.Timer
	looking bool
	pool    sync.Pool
}

// A watched call; gone is when its context was seen to have ended.
type watched struct {
	ctx  context.Context
	gone time.Time
}

func (w *watch) begin(ctx context.Context) *watched {
	c, _ := w.pool.Get().(*watched)
	if c == nil {
		c = new(watched)
	}
	c.ctx = ctx
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calls == nil {
		w.calls = map[*watched]struct{}{}
	}
	w.calls[c] = struct{}{}
	if !w.looking {
		w.looking = true
		if w.timer == nil {
			w.timer = time.AfterFunc(resolution, w.look)
		} else {
			w.timer.Reset(resolution)
		}
	}
	return c
}

// end returns when the caller left: at its deadline, or when it was seen to
// have cancelled; now if neither.
func (w *watch) end(c *watched) time.Time {
	w.mu.Lock()
	delete(w.calls, c)
	w.mu.Unlock()
	gone := c.gone
	deadline, ok := c.ctx.Deadline()
	*c = watched{}
	w.pool.Put(c)
	now := time.Now()
	if gone.IsZero() {
		gone = now
	}
	if ok && deadline.Before(gone) {
		gone = deadline
	}
	return gone
}

// look goes on as long as there are calls.
func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	for c := range w.calls {
		if c.gone.IsZero() && c.ctx.Err() != nil {
			c.gone = now
		}
	}
	if w.looking = len(w.calls) > 0; w.looking {
		w.timer.Reset(resolution)
	}
}
