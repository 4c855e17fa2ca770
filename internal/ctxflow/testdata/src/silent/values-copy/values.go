// Package values has roots that are given values of the context which they
// replace: whoever copies values by hand has left the rest behind on purpose.
package values

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"
)

type store interface {
	Load(ctx context.Context, id string) error
}

type key struct{}

type request struct{ ctx context.Context }

func (r *request) Context() context.Context { return r.ctx }

func Value(ctx context.Context, s store) error {
	c := context.WithValue(context.Background(), key{}, ctx.Value(key{})) // silent: values-copy
	return s.Load(c, "1")
}

func Variable(ctx context.Context, s store) error {
	user, _ := ctx.Value(key{}).(string)
	c := context.WithValue(context.Background(), key{}, user) // silent: values-copy
	return s.Load(c, "1")
}

func Bounded(ctx context.Context, s store) error {
	c, cancel := context.WithTimeout(context.Background(), time.Second) // silent: values-copy
	defer cancel()
	c = context.WithValue(c, key{}, ctx.Value(key{}))
	return s.Load(c, "1")
}

func Span(ctx context.Context, s store) error {
	c := trace.ContextWithSpan(context.Background(), trace.SpanFromContext(ctx)) // silent: values-copy
	return s.Load(c, "1")
}

func Provided(r *request, s store) error {
	c := context.WithValue(context.Background(), key{}, r.Context().Value(key{})) // silent: values-copy
	return s.Load(c, "1")
}

func userOf(ctx context.Context) string { u, _ := ctx.Value(key{}).(string); return u }

func Getter(ctx context.Context, s store) error {
	c := context.WithValue(context.Background(), key{}, userOf(ctx)) // silent: values-copy
	return s.Load(c, "1")
}

func detached(ctx context.Context) context.Context {
	return context.WithValue(context.Background(), key{}, ctx.Value(key{})) // silent: values-copy
}

func Helped(ctx context.Context, s store) error { return s.Load(detached(ctx), "1") }

// Constant copies nothing.
func Constant(ctx context.Context, s store) error {
	c := context.WithValue(context.Background(), key{}, "reader") // reported: CTX101
	return s.Load(c, "1")
}

// Argument copies what the caller gave beside its context.
func Argument(ctx context.Context, user string, s store) error {
	c := context.WithValue(context.Background(), key{}, user) // reported: CTX101
	return s.Load(c, "1")
}

// ReadOnly reads a value of the context, but for another purpose.
func ReadOnly(ctx context.Context, s store) error {
	id, _ := ctx.Value(key{}).(string)
	return s.Load(context.Background(), id) // reported: CTX101
}

type sessions interface {
	Find(ctx context.Context, token string) (string, error)
}

func claims(ctx context.Context) (string, error) { c, _ := ctx.Value(key{}).(string); return c, nil }

// Fails reads a value by a function that says if there is none.
func Fails(ctx context.Context, s store) error {
	user, err := claims(ctx)
	if err != nil {
		return err
	}
	c := context.WithValue(context.Background(), key{}, user) // silent: values-copy
	return s.Load(c, "1")
}

// LooksUp puts in what it has found on behalf of the context, not in it.
func LooksUp(ctx context.Context, all sessions, token string, s store) error {
	user, err := all.Find(ctx, token)
	if err != nil {
		return err
	}
	c := context.WithValue(context.Background(), key{}, user) // reported: CTX101
	return s.Load(c, "1")
}
