// Package connect has of the real one what the tests call.
package connect

import "context"

type Request[T any] struct{ Msg *T }

type Response[T any] struct{ Msg *T }

type ServerStream[T any] struct{}

func (*ServerStream[T]) Send(*T) error { return nil }

type Client[Req, Res any] struct{}

func (*Client[Req, Res]) CallUnary(ctx context.Context, r *Request[Req]) (*Response[Res], error) {
	return nil, nil
}
