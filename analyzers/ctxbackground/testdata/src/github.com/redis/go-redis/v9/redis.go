// Package redis has of the real one what the tests call.
package redis

import "context"

type StringCmd struct{}

func (*StringCmd) Result() (string, error) { return "", nil }

type Cmdable interface{ StringCmdable }

type StringCmdable interface {
	Get(ctx context.Context, key string) *StringCmd
}

type Pipeliner interface {
	StringCmdable
	Len() int
}

type cmdable func(ctx context.Context, cmd any) error

func (c cmdable) Get(ctx context.Context, key string) *StringCmd { return nil }

type Client struct{ cmdable }

func (*Client) Pipeline() Pipeliner { return nil }
