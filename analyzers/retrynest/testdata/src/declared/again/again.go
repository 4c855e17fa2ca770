// Package again has helpers that retry where no summary can see it.
package again

import "context"

type engine interface {
	run(ctx context.Context, f func(context.Context) error) error
}

var e engine

// Do tries four times.
//
//ctxprop:retry attempts=4
func Do(ctx context.Context, f func(context.Context) error) error { return e.run(ctx, f) }

type Policy struct{}

// Times tries as often as it is told, and says so to notify.
//
//ctxprop:retry count=1
func (*Policy) Times(ctx context.Context, n int, notify func(), f func(context.Context) error) error {
	return e.run(ctx, f)
}

// Some tries nobody knows how often.
//
//ctxprop:retry
func Some(ctx context.Context, f func(context.Context) error) error { return e.run(ctx, f) }

// Once is not declared, and calls its argument as far as anybody knows once.
func Once(ctx context.Context, f func(context.Context) error) error { return f(ctx) }
