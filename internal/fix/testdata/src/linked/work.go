package linked

import "context"

type stream interface{ Context() context.Context }

func work(ctx context.Context) error {
	if ctx.Err() == nil {
		ctx := context.Background() // want `fresh`
		_ = ctx
	}
	return ctx.Err()
}
