// Package plain has code on which no rule of silence is needed, and losses in
// the neighbourhood of the rules that none of them excuses.
package plain

import (
	"context"
	"sync"
	"time"
)

type store interface {
	Save(ctx context.Context, id string) error
	Load(ctx context.Context, id string) (string, error)
}

type settings struct{ ctx context.Context }

type option func(*settings)

func withContext(ctx context.Context) option { return func(o *settings) { o.ctx = ctx } }

// Options: the root is a default, which whoever gets the struct may replace.
func Options(ctx context.Context, s store) error {
	o := &settings{ctx: context.Background()} // silent: default
	withContext(ctx)(o)
	return s.Save(o.ctx, "1")
}

func OptionDefault(ctx context.Context, s store, options ...option) error {
	o := &settings{ctx: context.Background()} // silent: default
	for _, f := range options {
		f(o)
	}
	return s.Save(o.ctx, "1")
}

// Decided: nobody else has the struct.
func Decided(ctx context.Context, s store) error {
	o := &settings{ctx: context.Background()} // reported: CTX101
	return s.Save(o.ctx, "1")
}

func RangeChannel(ctx context.Context, s store) {
	ch := make(chan error)
	go func() {
		defer close(ch)
		err := s.Save(context.Background(), "1") // reported: CTX101
		ch <- err                                // silent: joined-wait
	}()
	for range ch {
	}
}

type worker struct {
	wg sync.WaitGroup
	s  store
}

func (w *worker) Field(ctx context.Context) {
	w.wg.Add(1)
	go func() {
		defer w.wg.Done()
		_ = w.s.Save(context.Background(), "1") // reported: CTX101
	}()
	w.wg.Wait() // silent: joined-wait
}

func DeferredWait(ctx context.Context, s store) {
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		_ = s.Save(context.Background(), "1") // reported: CTX101
	})
}

func Or(ctx context.Context, off bool, s store) error {
	if ctx == nil || off {
		ctx = context.Background() // reported: CTX101
	}
	return s.Save(ctx, "1")
}

func AndElse(ctx context.Context, on bool, s store) error {
	var c context.Context
	if ctx != nil && on {
		c = ctx
	} else {
		c = context.Background() // reported: CTX101
	}
	return s.Save(c, "1")
}

func Timer(ctx context.Context, s store) error {
	t := time.NewTimer(time.Second)
	select {
	case <-t.C:
		return s.Save(context.Background(), "1") // reported: CTX101
	case <-ctx.Done():
		return ctx.Err()
	}
}

func Retry(ctx context.Context, s store) (err error) {
	for range 3 { // reported: CTX304
		if err = s.Save(context.Background(), "1"); err == nil { // reported: CTX101
			return nil
		}
	}
	return err
}

func Fallback(ctx context.Context, a, b store) (string, error) {
	v, err := a.Load(ctx, "1")
	if err == nil {
		return v, nil
	}
	return b.Load(context.Background(), "1") // reported: CTX101
}

func Shadowing(ctx context.Context, s store) error {
	ctx, cancel := context.WithCancel(context.Background()) // reported: CTX101
	defer cancel()
	return s.Save(ctx, "1")
}

func Argument(ctx context.Context, s store) error {
	return first(s.Save(context.Background(), "1"), s.Save(ctx, "2")) // reported: CTX101
}

func first(errs ...error) error { return errs[0] }
