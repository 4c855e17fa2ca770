// Package withheld has findings without a fix: to put the caller's context in
// the root's place would change more than what the finding is about.
package withheld

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/grpc"
)

// Second write: cancelled between the two, half of both would remain.
func Second(ctx context.Context, p *pgxpool.Pool) error {
	if _, err := p.Exec(ctx, "insert"); err != nil {
		return err
	}
	_, err := p.Exec(context.Background(), "update") // want `CTX101`
	return err
}

// SecondInClosure: the first write is in the function around.
func SecondInClosure(ctx context.Context, p *pgxpool.Pool, with func(func() error) error) error {
	if _, err := p.Exec(ctx, "insert"); err != nil {
		return err
	}
	return with(func() error {
		_, err := p.Exec(context.Background(), "update") // want `CTX101`
		return err
	})
}

// SecondBelow: the first write is in a function that it calls.
func SecondBelow(ctx context.Context, p *pgxpool.Pool) error {
	if err := insertRow(p); err != nil {
		return err
	}
	_, err := p.Exec(context.Background(), "update") // want `CTX101`
	return err
}

func insertRow(p *pgxpool.Pool) error {
	_, err := p.Exec(context.Background(), "insert") // want `CTX102`
	return err
}

// Mixed is right in one of its uses: the audit outlives the call on purpose.
func Mixed(ctx context.Context, p *pgxpool.Pool) error {
	c := context.Background() // want `CTX101`
	if err := p.Ping(c); err != nil {
		return err
	}
	go func() {
		c, cancel := context.WithTimeout(c, time.Second)
		defer cancel()
		_ = p.Ping(c)
	}()
	return nil
}

// Kept stores what it blocks on.
func (k *keeper) Kept(ctx context.Context, p *pgxpool.Pool) error {
	c := context.Background() // want `CTX101`
	k.ctx = c
	return p.Ping(c)
}

type keeper struct{ ctx context.Context }

// Shape is known to block by its shape alone, and no request is in sight.
func Shape(ctx context.Context, load func(context.Context) error) error {
	return load(context.Background()) // want `CTX101`
}

// Blank serves a request and has no name for its context.
func Blank(_ context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	return handler(context.Background(), req) // want `name the context parameter and use it \(CTX101\)$`
}
