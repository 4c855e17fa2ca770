// Package app uses what another package has declared.
package app

import (
	"context"
	"time"

	"declared/kit"
)

type processor struct{}

// Process is a handler by the directive at kit.Processor.
func (processor) Process(ctx context.Context, j kit.Job) error {
	return publish(j)
}

func publish(j kit.Job) error {
	return kit.Publish(context.Background(), j) // want `app\.publish makes its own context from context\.Background\(\): kit\.Publish can outlive the caller of processor\.Process; give publish a ctx \(CTX102\)`
}

// another is not called by what the directive is about.
type another struct{}

func (another) Process(j kit.Job) error { return kit.Publish(context.TODO(), j) }

func notify(ctx context.Context, j kit.Job) {
	kit.Notify(context.Background(), j) // want `context\.Background\(\) in app\.notify cuts kit\.Notify off from the caller's deadline; use ctx \(CTX101\)`
}

// note: kit declares that Note does not wait, though it has the shape.
func note(ctx context.Context, j kit.Job) error {
	return kit.Note(context.Background(), j)
}

// detached and bounded: the work is not the caller's and ends all the same.
func detached(ctx context.Context, j kit.Job) {
	own, cancel := context.WithTimeout(kit.Detached(ctx), time.Second)
	go func() {
		defer cancel()
		_ = kit.Publish(own, j)
	}()
}

// unbounded: the same without a deadline.
func unbounded(ctx context.Context, j kit.Job) {
	own := kit.Detached(ctx)
	go kit.Publish(own, j) // want `CTX103`
}

// queued: the job runs on nobody's behalf.
func queued(ctx context.Context, j kit.Job) error {
	return kit.Queue(func() error { return kit.Publish(context.Background(), j) })
}
