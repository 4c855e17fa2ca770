// Package apart has work that runs later, or that nobody waits for without a
// way out: it is not its starter's own business.
package apart

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

type store interface {
	Save(ctx context.Context, id string) error
}

func Go(ctx context.Context, s store) {
	go func() {
		c, cancel := context.WithTimeout(context.Background(), time.Second) // silent: runs-apart
		defer cancel()
		_ = s.Save(c, "1")
	}()
}

func GoCall(ctx context.Context, s store) context.CancelFunc {
	c, cancel := context.WithCancel(context.Background()) // silent: runs-apart
	go s.Save(c, "1")
	return cancel
}

func audit(s store) {
	c, cancel := context.WithTimeout(context.Background(), time.Minute) // silent: runs-apart
	defer cancel()
	_ = s.Save(c, "audit")
}

func GoNamed(ctx context.Context, s store) { go audit(s) }

func Timer(ctx context.Context, s store) {
	time.AfterFunc(time.Second, func() {
		_ = s.Save(context.Background(), "1") // silent: runs-apart
	})
}

// Wayout waits with a way out: when its context ends, it is gone.
func Wayout(ctx context.Context, s store) error {
	done := make(chan error, 1)
	go func() {
		done <- s.Save(context.Background(), "1") // silent: runs-apart
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Group is never waited for.
func Group(ctx context.Context, s store) {
	g, _ := errgroup.WithContext(ctx)
	g.Go(func() error {
		return s.Save(context.Background(), "1") // silent: runs-apart
	})
}

type events struct{ handlers []func() }

func (e *events) On(f func()) { e.handlers = append(e.handlers, f) }

// Kept hands its function to one that only keeps it: no rule is needed.
func Kept(ctx context.Context, e *events, s store) {
	e.On(func() {
		_ = s.Save(context.Background(), "1")
	})
}

// Waited for, by a wait group.
func WaitGroup(ctx context.Context, s store) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		_ = s.Save(context.Background(), "1") // reported: CTX101
	}()
	wg.Wait() // silent: joined-wait
}

func WaitGroupGo(ctx context.Context, s store) {
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = s.Save(context.Background(), "1") // reported: CTX101
	})
	wg.Wait()
}

// Waited for, by a bare receive.
func Receive(ctx context.Context, s store) error {
	done := make(chan error)
	go func() {
		err := s.Save(context.Background(), "1") // reported: CTX101
		done <- err                              // silent: joined-wait
	}()
	return <-done // silent: joined-wait
}

func ReceiveClosed(ctx context.Context, s store) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Save(context.Background(), "1") // reported: CTX101
	}()
	<-done // silent: joined-wait
}

// Waited for, in a select that no cancellation ends.
func Select(ctx context.Context, s store, other chan int) {
	done := make(chan error)
	go func() {
		err := s.Save(context.Background(), "1") // reported: CTX101
		done <- err                              // silent: joined-wait
	}()
	select {
	case <-done:
	case <-other:
	}
}

// Waited for, by the group's Wait.
func GroupWait(ctx context.Context, s store) error {
	g, _ := errgroup.WithContext(ctx)
	g.Go(func() error {
		return s.Save(context.Background(), "1") // reported: CTX101
	})
	return g.Wait()
}

// Called is a function of the package that calls what it is given.
func Called(ctx context.Context, s store) {
	call(func() {
		_ = s.Save(context.Background(), "1") // reported: CTX101
	})
}

func call(f func()) { f() }

type bus interface {
	Subscribe(topic string, f func([]byte) error) error
	Transaction(f func() error) error
}

// Callback is run whenever a message comes.
func Callback(ctx context.Context, b bus, s store) error {
	return b.Subscribe("orders", func(m []byte) error {
		return s.Save(context.Background(), string(m)) // silent: runs-apart
	})
}

// Within is run before the transaction ends.
func Within(ctx context.Context, b bus, s store) error {
	return b.Transaction(func() error {
		return s.Save(context.Background(), "1") // reported: CTX101
	})
}

// crew is a group of the program's own.
type crew struct {
	inner struct{ wg sync.WaitGroup }
}

func (c *crew) add(do func()) {
	c.inner.wg.Add(1)
	go func() {
		defer c.inner.wg.Done()
		do()
	}()
}

func (c *crew) wait() { c.inner.wg.Wait() } // silent: joined-wait

// Crew waits for what it has added.
func Crew(ctx context.Context, s store) {
	var c crew
	c.add(func() {
		_ = s.Save(context.Background(), "1") // reported: CTX101
	})
	c.wait()
}

// OtherCrew waits for others.
func OtherCrew(ctx context.Context, s store) {
	var c, other crew
	c.add(func() {
		_ = s.Save(context.Background(), "1") // silent: runs-apart
	})
	other.wait()
}

type office struct{ staff crew }

// Work leaves it to the office to wait.
func (o *office) Work(ctx context.Context, s store) {
	o.staff.add(func() {
		_ = s.Save(context.Background(), "1") // silent: runs-apart
	})
}

// Overtime waits for a crew in a field.
func (o *office) Overtime(ctx context.Context, s store) {
	o.staff.add(func() {
		_ = s.Save(context.Background(), "1") // reported: CTX101
	})
	o.staff.wait()
}

func future(s store) <-chan error {
	done := make(chan error, 1)
	go func() {
		err := s.Save(context.Background(), "1") // reported: CTX102
		done <- err                              // silent: joined-wait
	}()
	return done
}

// Future waits for what it has had started.
func Future(ctx context.Context, s store) error {
	return <-future(s)
}

func promise(s store) (<-chan error, string) {
	done := make(chan error, 1)
	go func() { done <- s.Save(context.Background(), "1") }() // silent: runs-apart
	return done, "1"
}

func Promise(ctx context.Context, s store) error {
	done, _ := promise(s)
	return <-done
}

// Impatient does not wait for what others wait for: the goroutine may be meant to
// outlive it.
func Impatient(ctx context.Context, s store) error {
	done, _ := promise(s)
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
