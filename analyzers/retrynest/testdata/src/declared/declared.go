// Package declared calls helpers that their owner declares to retry.
package declared

import (
	"context"
	"net/http"

	"declared/again"
)

type wire interface {
	Send(ctx context.Context) error
}

type server struct {
	w wire
	p *again.Policy
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	s.nested(ctx)
	s.counted(ctx)
	s.unknown(ctx)
	s.here(ctx)
	s.single(ctx)
	s.once(ctx)
	s.alone(ctx)
}

func (s *server) nested(ctx context.Context) error {
	return again.Do(ctx, func(ctx context.Context) error {
		return again.Do(ctx, s.w.Send) // want `wire.Send can be called 4×4 = 16 times for one call of server.nested`
	})
}

func (s *server) counted(ctx context.Context) error {
	return s.p.Times(ctx, 5, nil, func(ctx context.Context) error {
		return s.p.Times(ctx, 2, nil, s.w.Send) // want `2×5 = 10|5×2 = 10`
	})
}

func (s *server) unknown(ctx context.Context) error {
	return again.Some(ctx, func(ctx context.Context) error {
		return s.p.Times(ctx, 5, nil, s.w.Send) // want `\?×5, at least 10 times`
	})
}

// local is declared in the package that uses it.
//
//ctxprop:retry attempts=3
func local(ctx context.Context, f func(context.Context) error) error { return hidden(ctx, f) }

var hidden func(ctx context.Context, f func(context.Context) error) error

func (s *server) here(ctx context.Context) error {
	return local(ctx, func(ctx context.Context) error {
		return local(ctx, s.w.Send) // want `3×3 = 9 times`
	})
}

// One attempt is no layer.
func (s *server) single(ctx context.Context) error {
	return s.p.Times(ctx, 1, nil, func(ctx context.Context) error {
		return again.Do(ctx, s.w.Send)
	})
}

// A helper that calls its argument once is none either.
func (s *server) once(ctx context.Context) error {
	return again.Once(ctx, func(ctx context.Context) error {
		return again.Do(ctx, s.w.Send)
	})
}

// One layer is nobody's concern.
func (s *server) alone(ctx context.Context) error {
	return again.Do(ctx, s.w.Send)
}
