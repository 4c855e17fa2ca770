// Package mixtures has contexts that come from one of several places.
package mixtures

import (
	"context"
	"time"
)

type sink interface {
	Load(ctx context.Context) error
}

func If(ctx context.Context, fast bool, s sink) error {
	c := ctx
	if fast {
		c = context.Background()
	}
	return s.Load(c) // origin: fresh parameter
}

func Switch(ctx, other context.Context, n int, s sink) error {
	var c context.Context
	switch n {
	case 0:
		c = ctx
	case 1:
		c = other
	default:
		c = context.TODO()
	}
	return s.Load(c) // origin: fresh parameter parameter
}

func Loop(ctx context.Context, n int, s sink) error {
	c := ctx
	for range n {
		if err := s.Load(c); err != nil { // origin: fresh parameter
			return err
		}
		c = context.Background()
	}
	return nil
}

// Deriving derives anew on every round, which never ends in another origin.
func Deriving(ctx context.Context, n int, s sink) error {
	for range n {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Second)
		defer cancel()
		if err := s.Load(ctx); err != nil { // origin: parameter+deadline
			return err
		}
	}
	return s.Load(ctx) // origin: parameter parameter+deadline
}

func Default(ctx context.Context, s sink) error {
	if ctx == nil {
		ctx = context.Background()
	}
	return s.Load(ctx) // origin: fresh? parameter
}

// DefaultCaptured is the same for a variable that lives on the heap.
func DefaultCaptured(ctx context.Context, s sink) error {
	if ctx == nil {
		ctx = context.Background()
	}
	f := func() error {
		return s.Load(ctx) // origin: fresh? parameter
	}
	return f()
}

func DefaultDerived(ctx context.Context, s sink) error {
	if ctx == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.Background(), time.Second)
		defer cancel()
	}
	return s.Load(ctx) // origin: fresh+deadline? parameter
}

func Nil(ctx context.Context, s sink) error {
	return s.Load(nil) // origin: nil
}

func Zero(ctx context.Context, s sink) error {
	var c context.Context
	return s.Load(c) // origin: nil
}

func Goto(ctx context.Context, n int, s sink) error {
	c := ctx
again:
	if err := s.Load(c); err != nil { // origin: fresh parameter
		return err
	}
	if n--; n > 0 {
		c = context.Background()
		goto again
	}
	return nil
}

func Select(ctx context.Context, cs chan context.Context, s sink) error {
	c := ctx
	select {
	case c = <-cs:
	default:
	}
	return s.Load(c) // origin: parameter stored
}
