// Package retryx is the program's own way to retry.
package retryx

import (
	"context"
	"flag"
	"time"
)

var retries = flag.Int("retries", 3, "attempts of what fails")

func pause(ctx context.Context) error {
	select {
	case <-time.After(time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Do tries fn as often as the flag says.
func Do(ctx context.Context, fn func() error) (err error) {
	for range *retries {
		if err = fn(); err == nil {
			return nil
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
	return err
}

// Until asks fn until it is done, and leaves on an error.
func Until(ctx context.Context, fn func() (bool, error)) error {
	for range *retries {
		done, err := fn()
		if err != nil {
			return err
		}
		if done {
			return nil
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
	return nil
}
