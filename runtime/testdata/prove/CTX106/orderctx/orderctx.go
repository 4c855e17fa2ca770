// Package orderctx notes the order on a context that it does not derive.
package orderctx

import "context"

type orderKey struct{}

// With returns a context that has the order.
func With(ctx context.Context, id string) context.Context {
	return context.WithValue(context.Background(), orderKey{}, id)
}
