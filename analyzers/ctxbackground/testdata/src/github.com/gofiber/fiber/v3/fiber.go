// Package fiber has of the real one what the tests call.
package fiber

import (
	"context"
	"time"
)

type Ctx interface {
	Context() context.Context
	SetContext(ctx context.Context)
	Deadline() (time.Time, bool)
	Done() <-chan struct{}
	Err() error
	Value(key any) any
}

type Handler = func(Ctx) error
