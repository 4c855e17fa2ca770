package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
)

type Options struct {
	RetryMaxAttempts int
	Retryer          aws.Retryer
}
type Client struct{}
type PutObjectInput struct{}
type PutObjectOutput struct{}

func New(o Options) *Client { return nil }
func (c *Client) PutObject(ctx context.Context, in *PutObjectInput, opts ...func(*Options)) (*PutObjectOutput, error) {
	return nil, nil
}
