// Package stored has contexts that were put somewhere: whoever did so knew
// whose they are.
package stored

import (
	"context"
	"time"
)

type sink interface {
	Load(ctx context.Context) error
}

type worker struct {
	ctx  context.Context
	jobs chan job
	all  []context.Context
	by   map[string]context.Context
}

type job struct{ ctx context.Context }

var plain = context.Background()

var todo = context.TODO()

var lifecycle, stop = context.WithCancel(context.Background())

var bounded, _ = context.WithTimeout(context.Background(), time.Hour)

var Exported = context.Background()

var assigned = context.Background()

func Set(ctx context.Context) { assigned = ctx }

func (w *worker) Field(ctx context.Context, s sink) error {
	return s.Load(w.ctx) // origin: stored
}

func (w *worker) Slice(ctx context.Context, s sink) error {
	return s.Load(w.all[0]) // origin: stored
}

func (w *worker) Map(ctx context.Context, s sink) error {
	return s.Load(w.by["a"]) // origin: stored
}

func (w *worker) Channel(ctx context.Context, s sink) error {
	j := <-w.jobs
	return s.Load(j.ctx) // origin: stored
}

func (w *worker) Range(ctx context.Context, s sink) error {
	for _, c := range w.all {
		if err := s.Load(c); err != nil { // origin: stored
			return err
		}
	}
	return nil
}

func Plain(ctx context.Context, s sink) error {
	return s.Load(plain) // origin: fresh
}

func Todo(ctx context.Context, s sink) error {
	return s.Load(todo) // origin: fresh
}

// Lifecycle has a cancel function: somebody ends it.
func Lifecycle(ctx context.Context, s sink) error {
	return s.Load(lifecycle) // origin: stored
}

func Bounded(ctx context.Context, s sink) error {
	return s.Load(bounded) // origin: stored
}

// OfAnyone can be assigned by other packages.
func OfAnyone(ctx context.Context, s sink) error {
	return s.Load(Exported) // origin: stored
}

func Assigned(ctx context.Context, s sink) error {
	return s.Load(assigned) // origin: stored
}

// LocalStruct was filled here.
func LocalStruct(ctx context.Context, s sink) error {
	j := &job{ctx: context.Background()}
	return s.Load(j.ctx) // origin: fresh
}

func LocalValue(ctx context.Context, s sink) error {
	j := job{ctx}
	return s.Load(j.ctx) // origin: parameter
}
