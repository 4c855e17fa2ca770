package saturate

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// errFull is the answer of a limiter whose queue is full.
var errFull = errors.New("queue is full")

// A limiter hands out slots; who finds none waits in a queue.
type limiter struct {
	order Order
	bound int // places in the queue; negative is no bound

	mu    sync.Mutex
	free  int
	queue []chan struct{} // closed when the slot is granted
}

func (l *limiter) acquire(ctx context.Context) error {
	l.mu.Lock()
	if l.free > 0 {
		l.free--
		l.mu.Unlock()
		return nil
	}
	if l.bound >= 0 && len(l.queue) >= l.bound {
		l.mu.Unlock()
		return errFull
	}
	granted := make(chan struct{})
	l.queue = append(l.queue, granted)
	l.mu.Unlock()

	select {
	case <-granted:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.queue, granted)
	if i < 0 {
		// Granted at the same moment. Taking it whichever way the select fell keeps
		// trials reproducible.
		return nil
	}
	l.queue = slices.Delete(l.queue, i, i+1)
	return ctx.Err()
}

func (l *limiter) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.queue)
	if n == 0 {
		l.free++
		return
	}
	i := 0
	if l.order == LIFO {
		i = n - 1
	}
	close(l.queue[i])
	l.queue = slices.Delete(l.queue, i, i+1)
}

// idle reports whether all of its slots are free.
func (l *limiter) idle(slots int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.free == slots
}
