package backoff

import "context"

type RetryOption func()
type Operation[T any] func() (T, error)

func WithMaxTries(n uint) RetryOption { return nil }
func Retry[T any](ctx context.Context, operation Operation[T], opts ...RetryOption) (T, error) {
	var t T
	return t, nil
}
func Permanent(err error) error { return err }
