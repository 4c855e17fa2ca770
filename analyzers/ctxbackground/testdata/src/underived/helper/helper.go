// Package helper has helpers that nobody here calls.
package helper

import "context"

type key struct{}

func WithUser(ctx context.Context, user string) context.Context {
	return context.WithValue(context.Background(), key{}, user) // want `^helper\.WithUser takes a context and returns one made from context\.Background\(\), so its callers lose deadline and cancellation; derive it from ctx \(CTX106\)$`
}

// WithTrace derives.
func WithTrace(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, key{}, id)
}

// Default stands in only for a missing context.
func Default(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// Root takes none: it says what it is.
func Root() context.Context { return context.Background() }

type request struct{ ctx context.Context }

func (r *request) Context() context.Context { return r.ctx }

// FromRequest has a value that provides a context.
func FromRequest(r *request) context.Context {
	return context.TODO() // want `derive it from r\.Context\(\) \(CTX106\)$`
}
