// Package lib is somebody else's, and no catalog knows it.
package lib

import "context"

type Client struct{ addr string }

func New(addr string) (*Client, error) { return &Client{addr}, nil }

func NewWithContext(ctx context.Context, addr string) (*Client, error) { return &Client{addr}, nil }

func (c *Client) Fetch(id string) error { return nil }

func (c *Client) FetchWithContext(ctx context.Context, id string) error { return ctx.Err() }

func (c *Client) Validate(id string) error { return nil }

func (c *Client) ValidateCtx(ctx context.Context, id string) error { return nil }
