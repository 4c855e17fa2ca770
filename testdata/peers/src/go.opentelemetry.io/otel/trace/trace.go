// Package trace has of the real one what the tests call.
package trace

import "context"

type Span interface{ End() }

type Tracer interface {
	Start(ctx context.Context, name string) (context.Context, Span)
}

func ContextWithSpan(parent context.Context, span Span) context.Context { return parent }

func SpanFromContext(ctx context.Context) Span { return nil }
