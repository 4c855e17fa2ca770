// Package wrappers has functions that take a context and return one.
package wrappers

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
)

type sink interface {
	Load(ctx context.Context) error
}

type key struct{}

func withUser(ctx context.Context, user string) context.Context {
	return context.WithValue(ctx, key{}, user)
}

func withLimit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, time.Second)
}

func second(_, ctx context.Context) context.Context { return ctx }

func either(a, b context.Context, first bool) context.Context {
	if first {
		return a
	}
	return b
}

func named(ctx context.Context) (out context.Context, err error) {
	out = ctx
	return
}

func deep(ctx context.Context) context.Context { return withUser(withUser(ctx, "a"), "b") }

func recursive(ctx context.Context, n int) context.Context {
	if n == 0 {
		return ctx
	}
	return recursive(withUser(ctx, "a"), n-1)
}

func Own(ctx context.Context, s sink) error {
	return s.Load(withUser(ctx, "u")) // origin: parameter
}

func OwnOnRoot(ctx context.Context, s sink) error {
	return s.Load(withUser(context.Background(), "u")) // origin: fresh
}

func Limit(ctx context.Context, s sink) error {
	c, cancel := withLimit(ctx)
	defer cancel()
	return s.Load(c) // origin: parameter+deadline
}

func LimitOnRoot(ctx context.Context, s sink) error {
	c, cancel := withLimit(context.TODO())
	defer cancel()
	return s.Load(c) // origin: fresh+deadline
}

// Second: the summary says which of two parameters comes back.
func Second(ctx context.Context, s sink) error {
	return s.Load(second(context.Background(), ctx)) // origin: parameter
}

func SecondIsRoot(ctx context.Context, s sink) error {
	return s.Load(second(ctx, context.Background())) // origin: fresh
}

func Either(ctx context.Context, first bool, s sink) error {
	return s.Load(either(ctx, context.Background(), first)) // origin: fresh parameter
}

func Named(ctx context.Context, s sink) error {
	c, err := named(ctx)
	if err != nil {
		return err
	}
	return s.Load(c) // origin: parameter
}

func Deep(ctx context.Context, s sink) error {
	return s.Load(deep(ctx)) // origin: parameter
}

func Recursive(ctx context.Context, s sink) error {
	return s.Load(recursive(ctx, 3)) // origin: parameter
}

func RecursiveOnRoot(ctx context.Context, s sink) error {
	return s.Load(recursive(context.Background(), 3)) // origin: fresh
}

func Detached(ctx context.Context, s sink) error {
	return s.Load(context.WithoutCancel(ctx)) // origin: detached
}

func DetachedBounded(ctx context.Context, s sink) error {
	c, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return s.Load(c) // origin: detached+deadline
}

func Group(ctx context.Context, s sink) error {
	g, c := errgroup.WithContext(ctx)
	g.Go(func() error {
		return s.Load(c) // origin: parameter
	})
	return g.Wait()
}

// Unheard-of functions are trusted to derive what they return.
func Unknown(ctx context.Context, tag func(context.Context) context.Context, s sink) error {
	return s.Load(tag(ctx)) // origin: parameter
}

func UnknownOnRoot(ctx context.Context, tag func(context.Context) context.Context, s sink) error {
	return s.Load(tag(context.Background())) // origin: fresh
}

func Nothing(ctx context.Context, get func() context.Context, s sink) error {
	return s.Load(get()) // origin: unknown
}

type Alias = context.Context

type narrow interface {
	context.Context
	User() string
}

type custom struct {
	context.Context
	user string
}

func (c *custom) User() string { return c.user }

func newCustom(ctx context.Context) *custom { return &custom{ctx, ""} }

func Aliased(ctx Alias, s sink) error {
	var c Alias = ctx
	return s.Load(c) // origin: parameter
}

func Custom(ctx *custom, s sink) error {
	return s.Load(ctx) // origin: parameter
}

func CustomMade(ctx context.Context, s sink) error {
	return s.Load(newCustom(ctx)) // origin: parameter
}

func CustomOnRoot(ctx context.Context, s sink) error {
	return s.Load(newCustom(context.Background())) // origin: fresh
}

func CustomInterface(ctx narrow, s sink) error {
	return s.Load(ctx) // origin: parameter
}

func Narrowed(ctx context.Context, s sink) error {
	var n narrow = &custom{ctx, ""}
	return s.Load(n) // origin: parameter
}

func Asserted(ctx context.Context, s sink) error {
	n := ctx.(narrow)
	return s.Load(n) // origin: parameter
}

// Embedded unwraps what a custom context holds.
func Embedded(ctx *custom, s sink) error {
	return s.Load(ctx.Context) // origin: stored
}

// TypeParameter takes any context.
func TypeParameter[C context.Context](ctx C, s sink) error {
	return s.Load(ctx) // origin: parameter
}
