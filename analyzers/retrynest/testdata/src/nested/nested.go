// Package nested has layers of retries over one another, and look-alikes.
package nested

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"nested/store"
)

type server struct {
	s    *store.Store
	five *store.Store
}

func newServer(w store.Wire) *server {
	return &server{s: store.New(w), five: &store.Store{Wire: w, Attempts: 5}}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	s.loop(ctx)
	s.field(ctx)
	s.argument(ctx)
	s.unknown(ctx, len(r.URL.Path))
	s.executor(ctx)
	s.methodValue(ctx)
	s.executors(ctx)
	s.three(ctx)
	s.jump(ctx)
	s.wrapped(ctx)
	s.told(ctx)
	s.toldPlain(ctx)
	s.mapped(ctx)
	s.stopped(ctx)
	s.busy(ctx)
	s.sequential(ctx)
	s.fanOut(ctx, nil)
	s.poll(ctx)
	s.failover(ctx, nil)
	s.small(ctx)
	s.enqueue(ctx)
	s.recursive(ctx, 3) // want `4×3 = 12 times for one call of server.recursive`
	s.walk(ctx, nil)
	s.overRecursion(ctx)
	s.moved(ctx)
	s.busyTwice(ctx)
	(&front{next: ask}).Claim(ctx)
	s.throughInterface(ctx)
	s.markInWords(ctx)
	s.markWrapped(ctx)
	s.markOfOther(ctx)
}

// check marks what cannot get better.
func (s *server) check(ctx context.Context, name string) error {
	if name == "" {
		return &store.Stop{Err: errors.New("no name")}
	}
	return s.s.Once(ctx)
}

func (s *server) markInWords(ctx context.Context) error {
	return store.Until(ctx, func() error {
		if err := s.check(ctx, "x"); err != nil {
			return fmt.Errorf("check: %v", err) // want `server.check marks errors as ones that must not be tried again, and server.markInWords passes them on in words, without the mark, so that store.Until tries again all the same; wrap them with %w \(CTX309\)`
		}
		return nil
	})
}

// The mark stays in the chain.
func (s *server) markWrapped(ctx context.Context) error {
	return store.Until(ctx, func() error {
		if err := s.check(ctx, "x"); err != nil {
			return fmt.Errorf("check: %w", err)
		}
		return nil
	})
}

// What is called marks nothing, so that no mark is lost.
func (s *server) markOfOther(ctx context.Context) error {
	return store.Until(ctx, func() error {
		if err := s.s.Once(ctx); err != nil {
			return fmt.Errorf("once: %v", err)
		}
		return nil
	})
}

func (s *server) loop(ctx context.Context) (err error) {
	for range 3 {
		if err = s.s.Get(ctx); err == nil { // want `Wire.Send can be called 3×3 = 9 times for one call of server.loop: server.loop tries 3 times \(nested/nested.go:\d+\), Store.Get tries 3 times \(store/store.go:\d+\); retry in one of them only \(CTX301\)`
			return nil
		}
		if err := store.Wait(ctx); err != nil {
			return err
		}
	}
	return err
}

func (s *server) field(ctx context.Context) (err error) {
	for i := 0; i <= 3; i++ {
		err = s.five.Put(ctx) // want `4×5 = 20 times`
		if err == nil {
			break
		}
		if err := store.Wait(ctx); err != nil {
			return err
		}
	}
	return err
}

func (s *server) argument(ctx context.Context) (err error) {
	for n := 3; n > 0; n-- {
		if err = s.s.List(ctx, 4); err == nil { // want `3×4 = 12 times`
			return nil
		}
		if err := store.Wait(ctx); err != nil {
			return err
		}
	}
	return err
}

// An unknown count counts as two: 5×? is ten at least.
func (s *server) unknown(ctx context.Context, n int) (err error) {
	for range 5 {
		if err = s.s.List(ctx, n*n); err == nil { // want `5×\?, at least 10 times`
			return nil
		}
		if err := store.Wait(ctx); err != nil {
			return err
		}
	}
	return err
}

func (s *server) executor(ctx context.Context) error {
	return store.Do(ctx, 6, func(ctx context.Context) error {
		if err := s.s.Get(ctx); err != nil { // want `6×3 = 18 times`
			return fmt.Errorf("get: %w", err)
		}
		return nil
	})
}

func (s *server) methodValue(ctx context.Context) error {
	return store.Do(ctx, 5, s.s.Get) // want `5×3 = 15 times`
}

func (s *server) executors(ctx context.Context) error {
	return store.Do(ctx, 4, func(ctx context.Context) error {
		return store.Do(ctx, 5, s.s.Once) // want `4×5 = 20 times`
	})
}

// Three layers are an error.
func (s *server) three(ctx context.Context) error {
	return store.Do(ctx, 4, func(ctx context.Context) error {
		return store.Do(ctx, 5, func(ctx context.Context) error { // want `4×5×3 = 60 times`
			return s.s.Get(ctx) // part of the larger one
		})
	})
}

func (s *server) jump(ctx context.Context) error {
	n := 0
again:
	err := s.s.Get(ctx) // want `4×3 = 12 times`
	if err != nil && n < 3 {
		n++
		if err := store.Wait(ctx); err != nil {
			return err
		}
		goto again
	}
	return err
}

func (s *server) wrapped(ctx context.Context) error {
	return store.OnUnavailable(ctx, func() error { return s.s.Wrapped(ctx) }) // want `4×3 = 12 times`
}

// The inner error arrives as text, which is no status: nothing is repeated.
func (s *server) told(ctx context.Context) error {
	return store.OnUnavailable(ctx, func() error { return s.s.Told(ctx) })
}

// Whoever repeats every error repeats that one too.
func (s *server) toldPlain(ctx context.Context) error {
	return store.Do(ctx, 4, func(ctx context.Context) error { return s.s.Told(ctx) }) // want `4×3 = 12 times`
}

// The inner error arrives with a code that is not repeated.
func (s *server) mapped(ctx context.Context) error {
	return store.OnUnavailable(ctx, func() error { return s.s.Mapped(ctx) })
}

// The inner error is marked as one to stop at.
func (s *server) stopped(ctx context.Context) error {
	return store.Until(ctx, func() error {
		if err := s.s.Get(ctx); err != nil {
			return &store.Stop{Err: err}
		}
		return errors.New("not yet")
	})
}

// The wire may well say that it is busy.
func (s *server) busy(ctx context.Context) error {
	return store.OnBusy(ctx, func() error { return s.s.Get(ctx) }) // want `4×3 = 12 times`
}

// One after the other is no nest.
func (s *server) sequential(ctx context.Context) error {
	if err := store.Do(ctx, 5, s.s.Once); err != nil {
		return err
	}
	return store.Do(ctx, 5, s.s.Once)
}

// Neither is one for each element.
func (s *server) fanOut(ctx context.Context, ops []string) error {
	for range ops {
		if err := store.Do(ctx, 5, s.s.Once); err != nil {
			return err
		}
	}
	for range ops {
		if err := s.s.Get(ctx); err != nil {
			fmt.Println(err)
			continue
		}
	}
	return nil
}

// A poll leaves on an error.
func (s *server) poll(ctx context.Context) error {
	for range 10 {
		if err := s.s.Get(ctx); err != nil {
			return err
		}
		if s.s.Attempts > 3 {
			return nil
		}
		if err := store.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Trying the next replica is no retry of the last one.
func (s *server) failover(ctx context.Context, replicas []*store.Store) (err error) {
	for _, r := range replicas {
		if err = r.Get(ctx); err == nil {
			return nil
		}
	}
	for i := 0; i < 5; i++ {
		if err = replicas[i].Get(ctx); err == nil {
			return nil
		}
	}
	return err
}

// Two times three is below the threshold.
func (s *server) small(ctx context.Context) (err error) {
	for range 2 {
		if err = s.s.Get(ctx); err == nil {
			return nil
		}
	}
	return err
}

// What is repeated hands over to a goroutine, whose retries are its own.
func (s *server) enqueue(ctx context.Context) error {
	return store.Do(ctx, 5, func(ctx context.Context) error {
		go s.s.Get(context.WithoutCancel(ctx))
		return ctx.Err()
	})
}

// Calling oneself again is a layer like any other. How large it is the caller
// knows: three more are four.
func (s *server) recursive(ctx context.Context, more int) error {
	err := s.s.Get(ctx)
	if err != nil && more > 0 {
		if err := store.Wait(ctx); err != nil {
			return err
		}
		return s.recursive(ctx, more-1)
	}
	return err
}

func (s *server) overRecursion(ctx context.Context) error {
	return store.Do(ctx, 3, func(ctx context.Context) error {
		return once(ctx, s.s.Wire, 3) // want `3×4 = 12 times`
	})
}

func once(ctx context.Context, w store.Wire, more int) error {
	err := w.Send(ctx, "once")
	if err != nil && more > 0 {
		if err := store.Wait(ctx); err != nil {
			return err
		}
		return once(ctx, w, more-1)
	}
	return err
}

var errBusy, errMoved = errors.New("busy"), errors.New("moved")

// ask tries again as long as the wire is busy, and then says so in words.
func (s *server) ask(ctx context.Context) error {
	for range 3 {
		err := s.s.Once(ctx)
		if !errors.Is(err, errBusy) {
			return err
		}
		if err := store.Wait(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("the wire is %s", errBusy)
}

// What the inner loop leaves at once is what the outer one repeats, and what the
// inner one gives up with is not: nothing is repeated by both.
func (s *server) moved(ctx context.Context) error {
	for range 3 {
		if err := s.ask(ctx); !errors.Is(err, errMoved) {
			return err
		}
		if err := store.Wait(ctx); err != nil {
			return err
		}
	}
	return errMoved
}

// askWrapped gives up with what it was told.
func (s *server) askWrapped(ctx context.Context) (err error) {
	for range 3 {
		if err = s.s.Once(ctx); !errors.Is(err, errBusy) {
			return err
		}
		if err := store.Wait(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("gave up: %w", err)
}

func (s *server) busyTwice(ctx context.Context) error {
	for range 3 {
		if err := s.askWrapped(ctx); !errors.Is(err, errBusy) { // want `3×3 = 9 times`
			return err
		}
		if err := store.Wait(ctx); err != nil {
			return err
		}
	}
	return errBusy
}

type claimer interface{ Claim(ctx context.Context) error }

// front is a claimer itself, over another one, which need not be one more front.
type front struct{ next claimer }

func (f *front) Claim(ctx context.Context) (err error) {
	for range 3 {
		if err = f.next.Claim(ctx); err == nil {
			return nil
		}
		if err := store.Wait(ctx); err != nil {
			return err
		}
	}
	return err
}

// plain never becomes a claimer here, whatever methods it has.
type plain struct{ s *server }

func (p *plain) Claim(ctx context.Context) error { return store.Do(ctx, 5, p.s.s.Once) }

var ask = claimer(&front{})

type keeper interface{ Keep(ctx context.Context) error }

type disk struct{ s *store.Store }

func (d *disk) Keep(ctx context.Context) error { return d.s.Get(ctx) }

// Kept may be set from outside, but the package has one kind of keeper only.
type shelf struct{ Kept keeper }

func newShelf(s *store.Store) *shelf { return &shelf{Kept: &disk{s}} }

func (s *server) throughInterface(ctx context.Context) error {
	sh := newShelf(s.s)
	return store.Do(ctx, 3, func(ctx context.Context) error {
		return sh.keep(ctx) // want `Wire.Send can be called 3×3 = 9 times`
	})
}

func (s *shelf) keep(ctx context.Context) error { return s.Kept.Keep(ctx) }

type tree struct{ left, right *tree }

// A walk over a tree is none.
func (s *server) walk(ctx context.Context, t *tree) error {
	if t == nil {
		return nil
	}
	if err := s.s.Get(ctx); err != nil {
		return s.walk(ctx, t.left)
	}
	return s.walk(ctx, t.right)
}
