// Package done has work that comes when the context at hand has ended: to shut
// down on it would be refused at once.
package done

import (
	"context"
	"os"
	"time"
)

type server interface {
	Shutdown(ctx context.Context) error
	Handle(ctx context.Context, job int) error
	Drain(ctx context.Context) (left int, err error)
}

func Receive(ctx context.Context, s server) error {
	<-ctx.Done()
	c, cancel := context.WithTimeout(context.Background(), time.Second) // silent: after-done
	defer cancel()
	return s.Shutdown(c)
}

func Case(ctx context.Context, s server, failed chan error) error {
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return s.Shutdown(context.Background()) // silent: after-done
	}
}

func AfterSelect(ctx context.Context, s server, failed chan error) error {
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	return s.Shutdown(context.Background()) // silent: after-done
}

func AfterLoop(ctx context.Context, s server, jobs chan int) error {
loop:
	for {
		select {
		case j := <-jobs:
			if err := s.Handle(ctx, j); err != nil {
				return err
			}
		case <-ctx.Done():
			break loop
		}
	}
	return s.Shutdown(context.Background()) // silent: after-done
}

// Err and ErrEqual use a result, so that they are no mere release.
func Err(ctx context.Context, s server) (int, error) {
	if ctx.Err() != nil {
		return s.Drain(context.Background()) // silent: after-done
	}
	return 0, s.Handle(ctx, 1)
}

func ErrEqual(ctx context.Context, s server) (int, error) {
	if ctx.Err() == nil {
		return 0, s.Handle(ctx, 1)
	}
	return s.Drain(context.Background()) // silent: after-done
}

func Signal(ctx context.Context, s server, stop chan os.Signal) error {
	<-stop
	return s.Shutdown(context.Background()) // silent: after-done
}

func Closure(ctx context.Context, s server, each func(func() error) error) error {
	<-ctx.Done()
	return each(func() error {
		return s.Shutdown(context.Background()) // silent: after-done
	})
}

func drain(s server) error {
	return s.Shutdown(context.Background()) // silent: after-done
}

// Chain makes the root one function further down.
func Chain(ctx context.Context, s server) error {
	<-ctx.Done()
	return drain(s)
}

// OtherCase works in the case in which the context has not ended.
func OtherCase(ctx context.Context, s server, jobs chan int) error {
	for {
		select {
		case j := <-jobs:
			if err := s.Handle(context.Background(), j); err != nil { // reported: CTX101
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// StillGood has just seen that the context has not ended.
func StillGood(ctx context.Context, s server) error {
	if ctx.Err() == nil {
		return s.Handle(context.Background(), 1) // reported: CTX101
	}
	return ctx.Err()
}

// Glance does not wait for the end.
func Glance(ctx context.Context, s server) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	default:
	}
	return s.Handle(context.Background(), 1) // reported: CTX101
}

// OtherChannel waits for something else.
func OtherChannel(ctx context.Context, s server, ready chan struct{}) error {
	<-ready
	return s.Handle(context.Background(), 1) // reported: CTX101
}

// Before does its work before the end.
func Before(ctx context.Context, s server) error {
	if err := s.Handle(context.Background(), 1); err != nil { // reported: CTX101
		return err
	}
	<-ctx.Done()
	return nil
}
