// Package drivers reaches third-party sinks.
package drivers

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/trace"
)

func Pool(ctx context.Context, p *pgxpool.Pool) error {
	_, err := p.Exec(context.Background(), "select 1") // want `cuts Pool\.Exec off from the caller's deadline; use ctx \(CTX101\)$`
	return err
}

func Client(ctx context.Context, c *redis.Client) (string, error) {
	return c.Get(context.Background(), "k").Result() // want `Get off from the caller's deadline; use ctx \(CTX101\)$`
}

func Interface(ctx context.Context, c redis.Cmdable) (string, error) {
	return c.Get(context.Background(), "k").Result() // want `Get off from the caller's deadline; use ctx \(CTX101\)$`
}

// Pipeline only queues.
func Pipeline(ctx context.Context, c *redis.Client) int {
	p := c.Pipeline()
	p.Get(context.Background(), "k")
	return p.Len()
}

// Traced starts its span on a root: the span is no loss, the query below it is.
func Traced(ctx context.Context, tr trace.Tracer, p *pgxpool.Pool) error {
	c, span := tr.Start(context.Background(), "ping") // want `cuts Pool\.Ping off from the caller's deadline; use ctx \(CTX101\)$`
	defer span.End()
	return p.Ping(c)
}

// Span only records.
func Span(ctx context.Context, tr trace.Tracer) {
	_, span := tr.Start(context.Background(), "nothing")
	span.End()
}

// Away makes its root in a helper: the call of the helper is replaced.
func Away(ctx context.Context, p *pgxpool.Pool) error {
	return p.Ping(root()) // want `^context\.Background\(\) in drivers\.Away cuts Pool\.Ping off from the caller's deadline; use ctx \(CTX101\)$`
}

func root() context.Context { return context.Background() }
