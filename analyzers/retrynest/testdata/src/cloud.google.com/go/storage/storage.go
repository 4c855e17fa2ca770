package storage

import "context"

type RetryPolicy int

const (
	RetryIdempotent RetryPolicy = iota
	RetryAlways
	RetryNever
)

type RetryOption interface{ apply() }

func WithPolicy(p RetryPolicy) RetryOption { return nil }

func WithMaxAttempts(n int) RetryOption { return nil }

type Reader struct{}

type ObjectHandle struct{}

func (o *ObjectHandle) Retryer(opts ...RetryOption) *ObjectHandle { return o }

func (o *ObjectHandle) NewReader(ctx context.Context) (*Reader, error) { return nil, nil }
