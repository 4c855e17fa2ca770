// Package redis turns the retries of its client off.
package redis

import (
	"context"

	avast "github.com/avast/retry-go/v4"
	"github.com/redis/go-redis/v9"
)

func p08redis(ctx context.Context) error {
	c := redis.NewClient(&redis.Options{MaxRetries: -1})
	return avast.Do(func() error {
		_, err := c.Get(ctx, "x").Result()
		return err
	}, avast.Attempts(5))
}
