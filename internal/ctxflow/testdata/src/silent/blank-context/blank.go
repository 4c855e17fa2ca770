// Package blank has functions that declare not to use their context: an
// interface made them take it. A request's handler may not do that.
package blank

import (
	"context"

	"google.golang.org/grpc"
)

type store interface {
	Load(ctx context.Context, id string) error
}

type loader struct{ s store }

func (l loader) Blank(_ context.Context, id string) error {
	return l.s.Load(context.Background(), id) // silent: blank-context
}

func (l loader) Unnamed(context.Context, string) error {
	return l.s.Load(context.Background(), "1") // silent: blank-context
}

func Closure(s store) func(context.Context) error {
	return func(_ context.Context) error {
		return s.Load(context.Background(), "1") // silent: blank-context
	}
}

func (l loader) load() error {
	return l.s.Load(context.Background(), "1") // silent: blank-context
}

// Chain has no use for its context either.
func (l loader) Chain(_ context.Context) error { return l.load() }

func Derive(_ context.Context) context.Context {
	return context.Background() // silent: blank-context
}

// OneOfTwo has a name for one of its contexts.
func OneOfTwo(_ context.Context, ctx context.Context, s store) error {
	return s.Load(context.Background(), "1") // reported: CTX101
}

// Ignored has a name for its context and does not use it: no declaration.
func Ignored(ctx context.Context, s store) error {
	return s.Load(context.Background(), "1") // reported: CTX101
}

// Request has a caller with a deadline, named or not.
func Request(_ context.Context, req any, info *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
	return h(context.Background(), req) // reported: CTX101
}

// Disowned says so in the name: the work must be done though the caller is gone.
func Disowned(_ctx context.Context, req any, info *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
	return h(context.Background(), req) // silent: blank-context
}
