package release

import (
	"context"
	"time"
)

type conn interface {
	Exec(ctx context.Context, q string) error
	Release()
}

type conns interface {
	Acquire(ctx context.Context) (conn, error)
	Take(ctx context.Context) (conn, func(), error)
}

// WithTimeout returns a function that puts a setting back before the pool has
// the connection again.
func WithTimeout(ctx context.Context, p conns) (conn, func(), error) {
	c, err := p.Acquire(ctx)
	if err != nil {
		return nil, nil, err
	}
	release := func() {
		own, cancel := context.WithTimeout(context.Background(), time.Second) // silent: release
		defer cancel()
		_ = c.Exec(own, "reset")
		c.Release()
	}
	if err := c.Exec(ctx, "set"); err != nil {
		release()
		return nil, nil, err
	}
	return c, release, nil
}

// Taken gives back by the function that came with the connection.
func Taken(ctx context.Context, p conns) error {
	c, release, err := p.Take(ctx)
	if err != nil {
		return err
	}
	back := func() {
		own, cancel := context.WithTimeout(context.Background(), time.Second) // silent: release
		defer cancel()
		defer release()
		_ = c.Exec(own, "reset")
	}
	if err := c.Exec(ctx, "a"); err != nil {
		back()
		return err
	}
	back()
	return nil
}

// Other gives back something else than what it works on.
func Other(ctx context.Context, p conns, t tx) error {
	c, err := p.Acquire(ctx)
	if err != nil {
		return err
	}
	work := func() {
		_ = t.Exec(context.Background(), "a") // reported: CTX101
		c.Release()
	}
	work()
	return nil
}

// Own makes what it gives back.
func Own(ctx context.Context, p conns) {
	work := func() {
		c, err := p.Acquire(ctx)
		if err != nil {
			return
		}
		_ = c.Exec(context.Background(), "a") // reported: CTX101
		c.Release()
	}
	work()
}

// Keeps gives nothing back.
func Keeps(ctx context.Context, p conns) error {
	c, err := p.Acquire(ctx)
	if err != nil {
		return err
	}
	work := func() {
		_ = c.Exec(context.Background(), "a") // reported: CTX101
	}
	work()
	return nil
}

// Answers brings more than an error.
func Answers(ctx context.Context, p conns) (bool, error) {
	c, err := p.Acquire(ctx)
	if err != nil {
		return false, err
	}
	work := func() bool {
		err := c.Exec(context.Background(), "a") // reported: CTX101
		c.Release()
		return err == nil
	}
	return work(), nil
}
