// Package s3 has of the real one what the tests call.
package s3

import "context"

type GetObjectInput struct{}

type Client struct{}

func (c *Client) GetObject(ctx context.Context, in *GetObjectInput) (any, error) { return nil, nil }

type PresignClient struct{}

func (c *PresignClient) PresignGetObject(ctx context.Context, in *GetObjectInput) (any, error) {
	return nil, nil
}
