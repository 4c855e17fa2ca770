// Package gcs turns the retries of its client off.
package gcs

import (
	"context"

	"cloud.google.com/go/storage"
	avast "github.com/avast/retry-go/v4"
)

func p18never(ctx context.Context, o *storage.ObjectHandle) error {
	o = o.Retryer(storage.WithPolicy(storage.RetryNever))
	return avast.Do(func() error {
		_, err := o.NewReader(ctx)
		return err
	}, avast.Attempts(5))
}
