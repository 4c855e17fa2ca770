// Package summaries has functions that differ from what their signatures say.
package summaries

import (
	"context"
	"sync"
	"time"
)

type sink interface {
	Load(ctx context.Context, id string) error
}

type key struct{}

// Quiet has the shape of one that blocks.
func Quiet(ctx context.Context, id string) error { return nil } // fact: quiet ignores(0)

// Stores keeps its context and blocks on nothing.
func (h *holder) Stores(ctx context.Context) error { // fact: quiet
	h.ctx = ctx
	return nil
}

type holder struct{ ctx context.Context }

// Drops blocks, but not on its context: for callers, it is quiet.
func Drops(ctx context.Context, s sink) error { // fact: quiet ignores(0)
	return s.Load(context.Background(), "1")
}

// Late takes its context last.
func Late(s sink, ctx context.Context) error { // fact: blocks(1: sink.Load)
	return s.Load(ctx, "1")
}

// NoError does not say by its results that it blocks.
func NoError(ctx context.Context, s sink) { // fact: blocks(0: sink.Load)
	_ = s.Load(ctx, "1")
}

// Method counts its receiver.
func (h *holder) Method(ctx context.Context, s sink) { // fact: blocks(1: sink.Load)
	_ = s.Load(ctx, "1")
}

// Two contexts, one of them not in first place.
func Two(a, b context.Context, s sink) error { // fact: blocks(1: sink.Load)
	if err := s.Load(a, "1"); err != nil {
		return err
	}
	return s.Load(b, "1")
}

func Waits(ctx context.Context) { // fact: blocks(0: summaries.Waits)
	<-ctx.Done()
}

func WaitsInSelect(ctx context.Context, c chan int) { // fact: blocks(0: summaries.WaitsInSelect)
	select {
	case <-c:
	case <-ctx.Done():
	}
}

// Glances does not wait.
func Glances(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

type request struct{ ctx context.Context }

func (r *request) Context() context.Context { return r.ctx } // fact: returns(0: stored)

// Provider blocks on what its argument provides.
func Provider(s sink, r interface{ Context() context.Context }) error { // fact: blocks(1: sink.Load)
	return s.Load(r.Context(), "1")
}

// Below and Above inherit.
func Below(s sink, ctx context.Context) error { return Late(s, ctx) } // fact: blocks(1: sink.Load)

func InClosure(s sink, ctx context.Context) error { // fact: blocks(1: sink.Load)
	do := func() error { return s.Load(ctx, "1") }
	return do()
}

// Apart starts work that is not its caller's business.
func Apart(s sink, ctx context.Context) {
	go func() { _ = s.Load(ctx, "1") }()
}

// Root says what it returns.
func Root() context.Context { return context.Background() } // fact: returns(0: fresh)

func Bounded(d time.Duration) (context.Context, context.CancelFunc) { // fact: returns(0: fresh)
	return context.WithTimeout(context.Background(), d)
}

// Underived has been given one.
func Underived(ctx context.Context) context.Context { return context.TODO() } // fact: ignores(0) returns(0: fresh)

func Detached(ctx context.Context) context.Context { return context.WithoutCancel(ctx) } // fact: ignores(0) returns(0: detached)

// Limited has a deadline of its own.
func Limited(ctx context.Context) (context.Context, context.CancelFunc) { // fact: returns(0: parameter 0)
	return context.WithTimeout(ctx, time.Second)
}

// Derived is what callers expect anyway.
func Derived(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, 1) }

func Second(a, b context.Context) context.Context { return b } // fact: ignores(0) returns(0: parameter 1)

func Default(ctx context.Context) context.Context { // fact: returns(0: parameter 0) returns(0: fresh maybe)
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// Calls runs what it is given.
func Calls(n int, f func()) { f() } // fact: calls(1)

func CallsBelow(f func()) { Calls(1, f) } // fact: calls(0)

func CallsInClosure(f func() error) error { // fact: calls(0)
	do := func() error { return f() }
	return do()
}

func CallsDeferred(f func()) { // fact: calls(0)
	defer f()
}

func CallsAwaited(f func()) { // fact: calls(0)
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Wait()
}

func CallsApart(f func()) { go f() }

func (h *hooks) Keeps(f func()) { h.all = append(h.all, f) }

type hooks struct{ all []func() }

func Yields(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) { yield(n) }
}

// Loses makes its own context.
func Loses(s sink) error { return s.Load(context.Background(), "1") } // fact: open(summaries.Loses: sink.Load)

func (h *holder) Loses(s sink) error { // fact: open(summaries.holder.Loses: sink.Load)
	return s.Load(context.TODO(), "1")
}

// Chain is how it is reached.
func Chain(s sink) error { return Loses(s) } // fact: open(summaries.Chain > summaries.Loses: sink.Load)

func both(s sink) error { return Loses(s) } // fact: open(summaries.both > summaries.Loses: sink.Load)

// Branches inherits each home once.
func Branches(s sink, h *holder) error { // fact: open(summaries.Branches > summaries.holder.Loses: sink.Load) open(summaries.Branches > summaries.both > summaries.Loses: sink.Load)
	if err := both(s); err != nil {
		return err
	}
	if err := h.Loses(s); err != nil {
		return err
	}
	return Loses(s)
}

// Closed has a context at hand: the loss goes no further.
func Closed(ctx context.Context, s sink) error { // fact: quiet ignores(0)
	return Loses(s)
}

// Generic functions have their facts on the origin.
func Generic[T any](s sink, v T) error { // fact: open(summaries.Generic: sink.Load)
	return s.Load(context.Background(), "1")
}

// Twin leaves its callers the choice.
func Twin(s sink) error { return TwinContext(context.Background(), s) }

func TwinContext(ctx context.Context, s sink) error { return s.Load(ctx, "1") }

// Pauses is given no context for its wait.
func Pauses() { time.Sleep(time.Minute) } // fact: endless(summaries.Pauses: time.Sleep)

// PausesToo passes it on.
func PausesToo() { Pauses() } // fact: endless(summaries.PausesToo > summaries.Pauses: time.Sleep)

// Reads asks its context for a value only.
func Reads(ctx context.Context) any { return ctx.Value("id") } // fact: ignores(0)

// Asks consults it, as does what it calls.
func Asks(ctx context.Context) bool      { return ctx.Err() == nil }
func AsksBelow(ctx context.Context) bool { return Asks(ctx) }
