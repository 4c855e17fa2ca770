// Package contract has functions that take a context with no request in sight.
package contract

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
}

type repo struct{ s store }

func (r *repo) Direct(ctx context.Context, id string) (string, error) {
	return r.s.Load(context.Background(), id) // want `^context\.Background\(\) in repo\.Direct cuts store\.Load off from the caller's deadline; use ctx \(CTX101\)$`
}

func (r *repo) Bounded(ctx context.Context, id string) (string, error) {
	c, cancel := context.WithTimeout(context.Background(), time.Second) // want `use ctx \(CTX101\)$`
	defer cancel()
	return r.s.Load(c, id)
}

func (r *repo) Chained(ctx context.Context, id string) (string, error) {
	c := context.WithValue(context.Background(), key{}, id) // want `use ctx \(CTX101\)$`
	c, cancel := context.WithCancel(c)
	defer cancel()
	return r.s.Load(c, id)
}

type key struct{}

// Group is awaited: its functions are the caller's own work.
func (r *repo) Group(ctx context.Context, ids []string) error {
	g, gctx := errgroup.WithContext(context.Background()) // want `use ctx \(CTX101\)$`
	for _, id := range ids {
		g.Go(func() error {
			_, err := r.s.Load(gctx, id)
			return err
		})
	}
	return g.Wait()
}

// Own passes the root to an own function that blocks on it.
func (r *repo) Own(ctx context.Context, id string) error {
	return r.blocks(context.Background(), id) // want `^context\.Background\(\) in repo\.Own cuts store\.Load off`
}

func (r *repo) blocks(ctx context.Context, id string) error {
	_, err := r.s.Load(ctx, id)
	return err
}

// Quiet passes the root to an own function that has the shape of one that
// blocks and does not.
func (r *repo) Quiet(ctx context.Context, id string) error {
	return r.quiet(context.Background(), id)
}

func (r *repo) quiet(ctx context.Context, id string) error { return nil }

// Branch uses a root on one of two ways.
func (r *repo) Branch(ctx context.Context, id string, fast bool) (string, error) {
	c := ctx
	if fast {
		c = context.Background() // want `use ctx \(CTX101\)$`
	}
	return r.s.Load(c, id)
}

// Value calls a function value.
func Value(ctx context.Context, load func(ctx context.Context, id string) error) error {
	return load(context.Background(), "1") // want `^context\.Background\(\) in contract\.Value cuts load off`
}

var root = context.Background()

func Global(ctx context.Context, s store) (string, error) {
	return s.Load(root, "1") // want `^root in contract\.Global cuts store\.Load off`
}

// Kept roots: none of these is about a caller.
func Nobody(s store) (string, error) { return s.Load(context.Background(), "1") }

func init() { _, _ = (&repo{}).s.Load(context.Background(), "1") }
