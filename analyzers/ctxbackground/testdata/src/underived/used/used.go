// Package used has helpers that take a context and return another, and callers
// that block on what they get: the helper is the severed callee.
package used

import (
	"context"
	"time"
)

type store interface {
	Load(ctx context.Context, id string) error
}

func Serve(ctx context.Context, s store) error {
	c, cancel := bounded(ctx, time.Second)
	defer cancel()
	return s.Load(c, "1")
}

func bounded(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d) // want `^used\.bounded takes a context and returns one made from context\.Background\(\): store\.Load in used\.Serve can outlive its caller; derive it from ctx \(CTX102\)$`
}

// fine derives.
func fine(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

func Fine(ctx context.Context, s store) error {
	c, cancel := fine(ctx, time.Second)
	defer cancel()
	return s.Load(c, "1")
}
