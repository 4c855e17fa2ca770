// Package tracing has contexts that carry spans and other values.
package tracing

import (
	"context"
	"hash/fnv"

	"go.opentelemetry.io/otel/trace"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
}

var tracer trace.Tracer

type key struct{}

// hash computes, and makes a context only because the tracer asks for one.
func hash(text string) uint64 {
	_, span := tracer.Start(context.Background(), "hash")
	defer span.End()
	h := fnv.New64()
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}

// Hashed calls it: nothing in there can wait.
func Hashed(ctx context.Context, s store, text string) (string, error) {
	if hash(text) == 0 {
		return "", nil
	}
	return s.Load(ctx, text)
}

// Branch keeps the span, and drops deadline and cancellation with intent.
func Branch(ctx context.Context, s store) (string, error) {
	c := trace.ContextWithSpan(context.Background(), trace.SpanFromContext(ctx))
	return s.Load(c, "1")
}

// Correlated takes a value along.
func Correlated(ctx context.Context, s store) (string, error) {
	c := context.WithValue(context.Background(), key{}, ctx.Value(key{}))
	return s.Load(c, "1")
}

// Started uses the context that the tracer returns.
func Started(ctx context.Context, s store) (string, error) {
	ctx, span := tracer.Start(ctx, "load")
	defer span.End()
	return s.Load(ctx, "1")
}

// StartedOnly traces, and has no other use for the context.
func StartedOnly(ctx context.Context) {
	ctx, span := tracer.Start(ctx, "nothing")
	defer span.End()
	_ = ctx
}

// StartedFresh begins a trace of its own on the way to blocking work.
func StartedFresh(ctx context.Context, s store) (string, error) {
	c, span := tracer.Start(context.Background(), "load") // want `use ctx \(CTX101\)`
	defer span.End()
	return s.Load(c, "1")
}

// StartedUnused has made a context for the span and goes on with a root.
func StartedUnused(ctx context.Context, s store) (string, error) {
	ctx, span := tracer.Start(ctx, "load")
	defer span.End()
	return s.Load(context.Background(), "1") // want `use ctx \(CTX101\)`
}
