// Package far inherits from another package.
package far

import (
	"context"

	"facts/summaries"
)

type sink interface {
	Load(ctx context.Context, id string) error
}

func Chain(s sink) error { return summaries.Chain(s) } // fact: open(far.Chain > summaries.Chain > summaries.Loses: sink.Load)

func Late(s sink, ctx context.Context) error { return summaries.Late(s, ctx) } // fact: blocks(1: sink.Load)

func Quiet(ctx context.Context) error { return summaries.Quiet(ctx, "1") } // fact: quiet ignores(0)

func Root() context.Context { return summaries.Root() } // fact: returns(0: fresh)

func Calls(f func()) { summaries.Calls(1, f) } // fact: calls(0)

func Closed(ctx context.Context, s sink) error { // fact: quiet ignores(0)
	return summaries.Chain(s)
}
