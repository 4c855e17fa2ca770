package redis

import "context"

type Options struct {
	Addr       string
	MaxRetries int
}

type ClusterOptions struct {
	Addrs      []string
	MaxRetries int
}

type baseCmd struct{ err error }

func (c *baseCmd) Err() error { return c.err }

type StringCmd struct{ baseCmd }

func (c *StringCmd) Result() (string, error) { return "", c.err }

type cmdable func(ctx context.Context) error

func (c cmdable) Get(ctx context.Context, key string) *StringCmd { return nil }

type Client struct{ cmdable }

type ClusterClient struct{ cmdable }

func NewClient(o *Options) *Client { return nil }

func NewClusterClient(o *ClusterOptions) *ClusterClient { return nil }
