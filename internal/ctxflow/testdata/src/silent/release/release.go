// Package release has clean-up in a defer or on a failing path, of which no
// result but an error is used. The context at hand may be the very thing that
// failed.
package release

import (
	"context"
	"time"
)

type tx interface {
	Exec(ctx context.Context, q string) error
	Count(ctx context.Context, q string) (int, error)
	Rollback(ctx context.Context) error
}

func Defer(ctx context.Context, t tx) error {
	defer t.Rollback(context.Background()) // silent: release
	return t.Exec(ctx, "a")
}

func DeferClosure(ctx context.Context, t tx) error {
	defer func() {
		c, cancel := context.WithTimeout(context.Background(), time.Second) // silent: release
		defer cancel()
		_ = t.Rollback(c)
	}()
	return t.Exec(ctx, "a")
}

func DeferNested(ctx context.Context, t tx, with func(func() error) error) error {
	defer func() {
		_ = with(func() error {
			return t.Rollback(context.Background()) // silent: release
		})
	}()
	return t.Exec(ctx, "a")
}

func undo(t tx) { _ = t.Rollback(context.Background()) } // silent: release

func DeferChain(ctx context.Context, t tx) error {
	defer undo(t)
	return t.Exec(ctx, "a")
}

func Failing(ctx context.Context, t tx) error {
	if err := t.Exec(ctx, "a"); err != nil {
		_ = t.Rollback(context.Background()) // silent: release
		return err
	}
	return nil
}

func FailingElse(ctx context.Context, t tx) error {
	err := t.Exec(ctx, "a")
	if err == nil {
		return nil
	}
	if undone := t.Rollback(context.Background()); undone != nil { // silent: release
		return undone
	}
	return err
}

func FailingNested(ctx context.Context, t tx, keep bool) error {
	if err := t.Exec(ctx, "a"); err != nil {
		if !keep {
			_ = t.Rollback(context.Background()) // silent: release
		}
		return err
	}
	return nil
}

func FailingClosure(ctx context.Context, t tx, with func(func() error) error) error {
	if err := t.Exec(ctx, "a"); err != nil {
		return with(func() error {
			return t.Rollback(context.Background()) // silent: release
		})
	}
	return nil
}

// Used is deferred, but its result goes to the caller.
func Used(ctx context.Context, t tx) (n int, err error) {
	defer func() {
		n, _ = t.Count(context.Background(), "a") // reported: CTX101
	}()
	return 0, t.Exec(ctx, "a")
}

// Fallback asks again on the failing path: that is work, not clean-up.
func Fallback(ctx context.Context, t, replica tx) (int, error) {
	n, err := t.Count(ctx, "a")
	if err != nil {
		n, err = replica.Count(context.Background(), "a") // reported: CTX101
	}
	return n, err
}

// Succeeding is on the other path.
func Succeeding(ctx context.Context, t tx) error {
	err := t.Exec(ctx, "a")
	if err == nil {
		err = t.Exec(context.Background(), "b") // reported: CTX101
	}
	return err
}

// OtherTest fails no work.
func OtherTest(ctx context.Context, t tx, dry bool) error {
	if !dry {
		return t.Exec(context.Background(), "a") // reported: CTX101
	}
	return nil
}

// Joined comes after both paths.
func Joined(ctx context.Context, t tx, note func(error)) error {
	if err := t.Exec(ctx, "a"); err != nil {
		note(err)
	}
	return t.Exec(context.Background(), "b") // reported: CTX101
}
