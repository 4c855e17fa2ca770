// Package step has bounded steps in loops that leave on the context at hand on
// every round: they stop between steps and never inside one.
package step

import (
	"context"
	"time"
)

type marker interface {
	Mark(ctx context.Context, id string) error
}

func Head(ctx context.Context, m marker, ids []string) error {
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, cancel := context.WithTimeout(context.Background(), time.Second) // silent: one-step
		err := m.Mark(c, id)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

func Condition(ctx context.Context, m marker, next func() string) {
	for ctx.Err() == nil {
		c, cancel := context.WithDeadline(context.Background(), time.Now().Add(time.Second)) // silent: one-step
		_ = m.Mark(c, next())
		cancel()
	}
}

func Select(ctx context.Context, m marker, ids chan string) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case id := <-ids:
			c, cancel := context.WithTimeout(context.Background(), time.Second) // silent: one-step
			_ = m.Mark(c, id)
			cancel()
		}
	}
}

func Break(ctx context.Context, m marker, tick <-chan time.Time) {
loop:
	for {
		select {
		case <-tick:
		case <-ctx.Done():
			break loop
		}
		c, cancel := context.WithTimeout(context.Background(), time.Second) // silent: one-step
		_ = m.Mark(c, "all")
		cancel()
	}
}

func mark(m marker, id string) error {
	c, cancel := context.WithTimeout(context.Background(), time.Second) // silent: one-step
	defer cancel()
	return m.Mark(c, id)
}

// Chain makes the step's context one function further down.
func Chain(ctx context.Context, m marker, ids []string) error {
	for _, id := range ids {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := mark(m, id); err != nil {
			return err
		}
	}
	return nil
}

// Unbounded steps can hang.
func Unbounded(ctx context.Context, m marker, ids []string) error {
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := m.Mark(context.Background(), id); err != nil { // reported: CTX101
			return err
		}
	}
	return nil
}

// Blind never looks at its context.
func Blind(ctx context.Context, m marker, ids []string) error {
	for _, id := range ids {
		c, cancel := context.WithTimeout(context.Background(), time.Second) // reported: CTX101
		err := m.Mark(c, id)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// Stays sees that its context has ended, and goes on.
func Stays(ctx context.Context, m marker, ids []string) (skipped int) {
	for _, id := range ids {
		if ctx.Err() != nil {
			skipped++
		}
		c, cancel := context.WithTimeout(context.Background(), time.Second) // reported: CTX101
		_ = m.Mark(c, id)
		cancel()
	}
	return skipped
}

// StaysSelect has a Done case that does not leave.
func StaysSelect(ctx context.Context, m marker, ids chan string) {
	for range 3 {
		id := ""
		select {
		case <-ctx.Done(): // reported: CTX204
		case id = <-ids:
			c, cancel := context.WithTimeout(context.Background(), time.Second) // reported: CTX101
			_ = m.Mark(c, id)
			cancel()
		}
	}
}

// Sometimes looks only now and then, and can do many steps after the end.
func Sometimes(ctx context.Context, m marker, ids []string) error {
	for i, id := range ids {
		if i%100 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		c, cancel := context.WithTimeout(context.Background(), time.Second) // reported: CTX101
		_ = m.Mark(c, id)
		cancel()
	}
	return nil
}

// Outside has a step after the loop, which is work like any other.
func Outside(ctx context.Context, m marker, ids []string) error {
	for range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	c, cancel := context.WithTimeout(context.Background(), time.Second) // reported: CTX101
	defer cancel()
	return m.Mark(c, "all")
}
