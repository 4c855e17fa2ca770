// Package mongo has of the real one what the tests call.
package mongo

import "context"

type Client struct{}

func Connect(ctx context.Context, opts ...any) (*Client, error) { return nil, nil }

type SingleResult struct{}

func (r *SingleResult) Decode(v any) error { return nil }

type Collection struct{}

func (c *Collection) FindOne(ctx context.Context, filter any, opts ...any) *SingleResult { return nil }
func (c *Collection) InsertOne(ctx context.Context, document any, opts ...any) (any, error) {
	return nil, nil
}
