// Package wait has roots that reach nothing but a wait of the program's own
// parts for each other, in functions that no request is known to reach.
package wait

import (
	"context"
	"net/http"
)

type Gate struct{ open chan struct{} }

func (g *Gate) Wait(ctx context.Context) error {
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Pass must see the gate open even if its caller has gone: the other side
// always opens it.
func (g *Gate) Pass(ctx context.Context) {
	_ = g.Wait(context.Background()) // silent: local-wait
}

// ServeHTTP has a caller who waits.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = g.Wait(context.Background()) // reported: CTX101
}

type store interface {
	Load(ctx context.Context, id string) error
}

// LoadWhenOpen waits, and then blocks on more than the gate.
func (g *Gate) LoadWhenOpen(ctx context.Context, s store) error {
	if err := g.Wait(ctx); err != nil {
		return err
	}
	return s.Load(ctx, "1")
}

func (g *Gate) Both(ctx context.Context, s store) error {
	return g.LoadWhenOpen(context.Background(), s) // reported: CTX101
}
