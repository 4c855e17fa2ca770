// Package limits waits with a limit of its own, beside the context's. The longer
// the limit, the longer it works for a caller that has gone: an info.
package limits

import (
	"context"
	"errors"
	"net/http"
	"time"
)

var errSlow = errors.New("slow")

type entry struct {
	data []byte
	done chan error
}

type log struct {
	entries chan entry
	applied chan int
	stopped chan error
	limit   time.Duration
}

func (l *log) Append(ctx context.Context, data []byte) error {
	e := entry{data, make(chan error, 1)}
	select { // silent: Done ends it
	case l.entries <- e:
	case <-ctx.Done():
		return ctx.Err()
	}
	select { // want `^the select in log\.Append goes on past the caller's deadline; wait for ctx\.Done\(\) as well \(CTX203\)$`
	case err := <-e.done:
		return err
	case <-time.After(l.limit):
		return errSlow
	}
}

func (l *log) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t := time.NewTimer(time.Minute)
	defer t.Stop()
	select { // want `^the select in log\.ServeHTTP goes on past the request's deadline; wait for r\.Context\(\)\.Done\(\) as well \(CTX203\)$`
	case <-l.applied:
	case <-t.C:
		w.WriteHeader(http.StatusGatewayTimeout)
	}
}

func (l *log) Soon(ctx context.Context) error {
	select { // silent: no deadline is shorter
	case <-l.applied:
		return nil
	case <-time.After(50 * time.Millisecond):
		return errSlow
	}
}

// helper has no context at hand, and a limit.
func (l *log) helper() error {
	select { // silent: the limit is what its callers have chosen
	case <-l.applied:
		return nil
	case <-time.After(time.Second):
		return errSlow
	}
}

func (l *log) Calls(ctx context.Context) error { return l.helper() }

// Follow goes round.
func (l *log) Follow(ctx context.Context, see func(int)) {
	for range 10 {
		select { // silent: whether the loop may go on is the loop's affair
		case n := <-l.applied:
			see(n)
		case <-time.After(l.limit):
		}
	}
}

func (l *log) Stop() { close(l.entries) }

// Drain waits for what it has told to end.
func (l *log) Drain(ctx context.Context) error {
	l.Stop()
	select { // silent: told to end
	case err := <-l.stopped:
		return err
	case <-time.After(l.limit):
		return errSlow
	}
}

// Load's goroutine ends with the context.
func Load(ctx context.Context, load func(context.Context) error, limit time.Duration) error {
	done := make(chan error, 1)
	go func() { done <- load(ctx) }()
	select { // silent: the other side is above
	case err := <-done:
		return err
	case <-time.After(limit):
		return errSlow
	}
}

func Given(ctx context.Context, in <-chan int, limit <-chan time.Time) int {
	select { // silent: whose channels these are, the caller knows
	case n := <-in:
		return n
	case <-limit:
		return 0
	}
}
