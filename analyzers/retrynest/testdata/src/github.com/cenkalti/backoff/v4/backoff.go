package backoff

import (
	"context"
	"time"
)

type BackOff interface{ NextBackOff() time.Duration }
type Operation func() error
type ExponentialBackOff struct{ MaxElapsedTime time.Duration }

func (e *ExponentialBackOff) NextBackOff() time.Duration { return 0 }
func NewExponentialBackOff() *ExponentialBackOff         { return nil }
func NewConstantBackOff(d time.Duration) BackOff         { return nil }
func WithMaxRetries(b BackOff, max uint64) BackOff       { return b }
func WithContext(b BackOff, ctx context.Context) BackOff { return b }
func Retry(o Operation, b BackOff) error                 { return nil }
func Permanent(err error) error                          { return err }
