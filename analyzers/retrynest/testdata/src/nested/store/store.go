// Package store repeats by itself, in ways that its callers do not see.
package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var ErrBusy = errors.New("busy")

type Wire interface {
	Send(ctx context.Context, op string) error
}

type Store struct {
	Wire     Wire
	Attempts int
	fixed    int
}

func New(w Wire) *Store { return &Store{Wire: w, fixed: 3} }

func Wait(ctx context.Context) error {
	select {
	case <-time.After(time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Get tries as often as a field says, which only this package sets.
func (s *Store) Get(ctx context.Context) (err error) {
	for i := 0; i < s.fixed; i++ {
		if err = s.Wire.Send(ctx, "get"); err == nil {
			return nil
		}
		if err := Wait(ctx); err != nil {
			return err
		}
	}
	return err
}

// Put tries as often as whoever made the store has said.
func (s *Store) Put(ctx context.Context) (err error) {
	for range s.Attempts {
		if err = s.Wire.Send(ctx, "put"); err == nil {
			return nil
		}
		if err := Wait(ctx); err != nil {
			return err
		}
	}
	return err
}

// List tries as often as its argument says.
func (s *Store) List(ctx context.Context, attempts int) (err error) {
	for attempts > 0 {
		attempts--
		if err = s.Wire.Send(ctx, "list"); err == nil {
			return nil
		}
		if err := Wait(ctx); err != nil {
			return err
		}
	}
	return err
}

// Wrapped keeps what the wire said.
func (s *Store) Wrapped(ctx context.Context) error {
	if err := s.Get(ctx); err != nil {
		return fmt.Errorf("wrapped: %w", err)
	}
	return nil
}

// Told loses it.
func (s *Store) Told(ctx context.Context) error {
	if err := s.Get(ctx); err != nil {
		return fmt.Errorf("told: %v", err)
	}
	return nil
}

// Mapped turns it into what nobody repeats.
func (s *Store) Mapped(ctx context.Context) error {
	if err := s.Get(ctx); err != nil {
		return status.Error(codes.FailedPrecondition, "store")
	}
	return nil
}

// Once does not repeat.
func (s *Store) Once(ctx context.Context) error { return s.Wire.Send(ctx, "once") }

// Do repeats what it is given.
func Do(ctx context.Context, attempts int, op func(context.Context) error) (err error) {
	for i := 1; ; i++ {
		if err = op(ctx); err == nil || i == attempts {
			return err
		}
		if err := Wait(ctx); err != nil {
			return err
		}
	}
}

// Stop is an error that Until does not repeat.
type Stop struct{ Err error }

func (s *Stop) Error() string { return s.Err.Error() }
func (s *Stop) Unwrap() error { return s.Err }

// Until repeats what it is given, but for a Stop.
func Until(ctx context.Context, op func() error) (err error) {
	for range 4 {
		var stop *Stop
		if err = op(); err == nil || errors.As(err, &stop) {
			return err
		}
		if err := Wait(ctx); err != nil {
			return err
		}
	}
	return err
}

// OnBusy repeats what it is given as long as that is busy.
func OnBusy(ctx context.Context, op func() error) (err error) {
	for range 4 {
		if err = op(); !errors.Is(err, ErrBusy) {
			return err
		}
		if err := Wait(ctx); err != nil {
			return err
		}
	}
	return err
}

// OnUnavailable repeats what it is given as long as that is away.
func OnUnavailable(ctx context.Context, op func() error) (err error) {
	for range 4 {
		if err = op(); status.Code(err) != codes.Unavailable {
			return err
		}
		if err := Wait(ctx); err != nil {
			return err
		}
	}
	return err
}
