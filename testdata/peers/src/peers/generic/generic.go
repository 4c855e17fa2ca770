// Package generic has type parameters, iterators and closures of closures,
// which tools of this kind have stumbled over.
package generic

import (
	"context"
	"iter"
	"maps"
	"slices"

	"peers/generic/far"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
	Save(ctx context.Context, id string) error
}

// Values calls the iterators of the standard library.
func Values(ctx context.Context, s store, m map[string]string) error {
	for _, id := range slices.Sorted(maps.Values(m)) {
		if err := s.Save(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// ValuesFresh is as Values, at fault.
func ValuesFresh(ctx context.Context, s store, m map[string]string) error {
	for id := range maps.Values(m) {
		if err := s.Save(context.Background(), id); err != nil { // want `CTX101`
			return err
		}
	}
	return nil
}

// Ranged defers in the body of a range over a function: the defer is the
// outer function's, though the body is a function of its own.
func Ranged(ctx context.Context, s store, seq iter.Seq[string]) (err error) {
	for id := range seq {
		defer func() { _ = s.Save(ctx, id) }()
		if _, err = s.Load(context.Background(), id); err != nil { // want `CTX101`
			return err
		}
	}
	return nil
}

// rowset closes what a query has left open.
type rowset[T any] struct{ vals []T }

func (r *rowset[T]) Close() error { return closeAll(r.vals) }

func closeAll[T any](vals []T) error { return nil }

// Closing closes when the context has ended: there is no way to close that
// takes one.
func Closing[T any](ctx context.Context, r *rowset[T], next <-chan T) error {
	for {
		select {
		case <-next:
		case <-ctx.Done():
			return r.Close()
		}
	}
}

// Nested has the fault in a closure of a closure: it has a place.
func Nested(ctx context.Context, s store) error {
	return func() error {
		return func() error {
			return s.Save(context.Background(), "1") // want `generic.Nested .*CTX101`
		}()
	}()
}

// Far goes through a generic function of another package.
func Far(ctx context.Context, s store) ([]string, error) {
	return far.Each([]string{"1"}, func(id string) (string, error) {
		return s.Load(context.Background(), id) // want `CTX101`
	})
}

// FarOpen is reached through a generic function of another package, which
// makes the context.
func FarOpen(ctx context.Context) error {
	return far.Store[string]{}.Put("1") // want `Store.Put makes its own context \(far/far.go:\d+\): DB.PingContext there can outlive the caller of generic.FarOpen; give it a ctx \(CTX102\)`
}

// FarRight hands its context to it.
func FarRight(ctx context.Context) error { return far.Store[string]{}.Write(ctx, "1") }
