// Package linked has roots that are cancelled by hand when the caller's
// context is: this is how contexts are merged.
package linked

import (
	"context"
	"time"
)

type store interface {
	Load(ctx context.Context, id string) error
}

func After(ctx context.Context, s store) error {
	c, cancel := context.WithCancel(context.Background()) // silent: linked-root
	defer cancel()
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	return s.Load(c, "1")
}

func Goroutine(ctx context.Context, s store) error {
	c, cancel := context.WithTimeout(context.Background(), time.Minute) // silent: linked-root
	defer cancel()
	go func() {
		select {
		case <-ctx.Done():
			cancel()
		case <-c.Done():
		}
	}()
	return s.Load(c, "1")
}

func Merge(a, b context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background()) // silent: linked-root
	go func() {
		select {
		case <-a.Done():
		case <-b.Done():
		case <-ctx.Done():
		}
		cancel()
	}()
	return ctx, cancel
}

// Unlinked has a cancel function that nobody calls before it is too late.
func Unlinked(ctx context.Context, s store) error {
	c, cancel := context.WithCancel(context.Background()) // reported: CTX101
	defer cancel()
	return s.Load(c, "1")
}
