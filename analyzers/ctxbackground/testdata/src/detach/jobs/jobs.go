// Package jobs has functions that make their own context, for others to start.
package jobs

import (
	"context"
	"time"
)

type Store interface {
	Save(ctx context.Context, id string) error
}

// Mail has no end of its own.
func Mail(s Store, id string) { _ = s.Save(context.Background(), id) }

// Bounded has.
func Bounded(s Store, id string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = s.Save(ctx, id)
}

// Poll does it for as long as the process lives.
func Poll(s Store) {
	for {
		tick(s)
		time.Sleep(time.Second)
	}
}

func tick(s Store) { _ = s.Save(context.Background(), "tick") }

// Consume waits for what comes.
func Consume(s Store, ids <-chan string) {
	for id := range ids {
		_ = s.Save(context.Background(), id)
	}
}

// Batch ends with its items, whenever that is.
func Batch(s Store, ids []string) {
	for _, id := range ids {
		_ = s.Save(context.Background(), id)
	}
}
