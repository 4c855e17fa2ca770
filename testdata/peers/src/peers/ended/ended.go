// Package ended has contexts that have been ended by the function itself,
// with work on them after that.
package ended

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
	Save(ctx context.Context, id string) error
	Release(ctx context.Context) error
}

// Shadowed has lost the outer context to the group's, which has ended once
// Wait returns.
func Shadowed(ctx context.Context, s store) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Save(ctx, "1") })
	if err := g.Wait(); err != nil {
		return err
	}
	return s.Save(ctx, "2") // want `store.Save on a context that is already done, .*CTX107`
}

// Outer keeps them apart.
func Outer(ctx context.Context, s store) error {
	g, inner := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Save(inner, "1") })
	if err := g.Wait(); err != nil {
		return err
	}
	return s.Save(ctx, "2")
}

// Beside uses the group's context before Wait.
func Beside(ctx context.Context, s store) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Save(ctx, "1") })
	if err := s.Save(ctx, "2"); err != nil {
		return errors.Join(err, g.Wait())
	}
	return g.Wait()
}

// Cancelled goes on with the context that it has just cancelled.
func Cancelled(ctx context.Context, s store) error {
	c, cancel := context.WithTimeout(ctx, time.Second)
	_, err := s.Load(c, "1")
	cancel()
	if err != nil {
		return err
	}
	return s.Save(c, "1") // want `store.Save on a context that is already done, .*CTX107`
}

// CancelledParent goes on with the one that it was made from.
func CancelledParent(ctx context.Context, s store) error {
	c, cancel := context.WithTimeout(ctx, time.Second)
	_, err := s.Load(c, "1")
	cancel()
	if err != nil {
		return err
	}
	return s.Save(ctx, "1")
}

// CancelledBranch cancels on one of two ways, and leaves there.
func CancelledBranch(ctx context.Context, s store, stop bool) error {
	c, cancel := context.WithCancel(ctx)
	defer cancel()
	if stop {
		cancel()
		return context.Canceled
	}
	return s.Save(c, "1")
}

// CancelledRound cancels the context of each round at its end.
func CancelledRound(ctx context.Context, s store, ids []string) error {
	for _, id := range ids {
		c, cancel := context.WithTimeout(ctx, time.Second)
		err := s.Save(c, id)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// CancelledAgain makes another in the same variables.
func CancelledAgain(ctx context.Context, s store) error {
	c, cancel := context.WithTimeout(ctx, time.Second)
	err := s.Save(c, "1")
	cancel()
	if err != nil {
		c, cancel = context.WithTimeout(ctx, time.Minute)
		defer cancel()
		return s.Save(c, "2")
	}
	return nil
}

// CancelledCopy detaches before it goes on.
func CancelledCopy(ctx context.Context, s store) error {
	c, cancel := context.WithCancel(ctx)
	cancel()
	return s.Save(context.WithoutCancel(c), "1")
}

// CancelledAtOnce makes a context that is done, so that what is given it does
// not wait.
func CancelledAtOnce(ctx context.Context, s store) error {
	c, cancel := context.WithCancel(ctx)
	cancel()
	return s.Save(c, "1")
}

// DeferredOrder releases after cancel: deferred calls run in reverse order.
func DeferredOrder(ctx context.Context, s store) error {
	c, cancel := context.WithTimeout(ctx, time.Second)
	defer s.Release(c) // want `store.Release on a context that is already done, .*CTX107`
	defer cancel()
	return s.Save(c, "1")
}

// DeferredClosure is as DeferredOrder, in a closure.
func DeferredClosure(ctx context.Context, s store) error {
	c, cancel := context.WithTimeout(ctx, time.Second)
	defer func() {
		_ = s.Release(c) // want `store.Release on a context that is already done, .*CTX107`
	}()
	defer cancel()
	return s.Save(c, "1")
}

// DeferredBefore cancels in the same closure, too early.
func DeferredBefore(ctx context.Context, s store) error {
	c, cancel := context.WithTimeout(ctx, time.Second)
	defer func() {
		cancel()
		_ = s.Release(c) // want `store.Release on a context that is already done, .*CTX107`
	}()
	return s.Save(c, "1")
}

// DeferredRight defers them the other way round.
func DeferredRight(ctx context.Context, s store) error {
	c, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	defer s.Release(c)
	return s.Save(c, "1")
}

// DeferredParent releases on the caller's context, which has not ended.
func DeferredParent(ctx context.Context, s store) error {
	c, cancel := context.WithTimeout(ctx, time.Second)
	defer s.Release(ctx)
	defer cancel()
	return s.Save(c, "1")
}

// Inside uses the outer context in a member of the group: it goes on when
// another member has failed, and Wait with it.
func Inside(ctx context.Context, s store) error {
	g, inner := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Save(inner, "1") })
	g.Go(func() error {
		return s.Save(ctx, "2") // want `use the one that errgroup.WithContext returns \(CTX104\)`
	})
	return g.Wait()
}
