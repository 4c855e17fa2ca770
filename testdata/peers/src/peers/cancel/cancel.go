// Package cancel has detached work with an owner: somebody holds the function
// that ends it, in one of the many ways in which that is done.
package cancel

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/signal"
	"time"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
	Save(ctx context.Context, id string) error
}

// Unowned is the fault itself: nobody can end what is started.
func Unowned(ctx context.Context, s store) {
	go s.Save(context.WithoutCancel(ctx), "1") // want `CTX103`
}

// Returned gives the cancel function to its caller.
func Returned(ctx context.Context, s store) context.CancelFunc {
	c, cancel := context.WithCancel(context.Background())
	go s.Save(c, "1")
	return cancel
}

// InClosure calls it in a goroutine's closure.
func InClosure(ctx context.Context, s store, stop <-chan struct{}) {
	c, cancel := context.WithCancel(context.Background())
	go s.Save(c, "1")
	go func() {
		<-stop
		cancel()
	}()
}

type task struct {
	id     string
	cancel context.CancelFunc
}

// InLiteral puts it into a struct that is returned; another package calls it.
func InLiteral(ctx context.Context, s store) *task {
	c, cancel := context.WithCancel(context.Background())
	go s.Save(c, "1")
	return &task{id: "1", cancel: cancel}
}

type server struct {
	s      store
	cancel context.CancelFunc
	ended  []func()
}

// InField stores it for Stop.
func (v *server) InField(ctx context.Context) {
	c, cancel := context.WithCancel(context.Background())
	v.cancel = cancel
	go v.s.Save(c, "1")
}

// Stop ends what InField has started.
func (v *server) Stop() {
	defer func() { v.cancel() }()
}

// Start only starts a goroutine: to cancel its context before it returns, as
// a rule about lost cancels would have it, ends the work at once.
func (v *server) Start(ctx context.Context) error {
	c, cancel := context.WithCancel(context.Background())
	v.cancel = cancel
	go v.run(c)
	return nil
}

func (v *server) run(ctx context.Context) {
	for {
		select {
		case <-time.After(time.Second):
			_ = v.s.Save(ctx, "1")
		case <-ctx.Done():
			return
		}
	}
}

// InList appends it to what is called at the end.
func (v *server) InList(ctx context.Context) {
	c, cancel := context.WithCancel(context.Background())
	v.ended = append(v.ended, cancel)
	go v.s.Save(c, "1")
}

// InJob hands it to a goroutine within a struct.
func InJob(ctx context.Context, s store) {
	c, cancel := context.WithCancel(context.Background())
	t := &task{id: "1", cancel: cancel}
	go func(t *task) {
		defer t.cancel()
		_ = s.Save(c, t.id)
	}(t)
}

var (
	root context.Context
	stop context.CancelFunc
)

func init() { root, stop = context.WithCancel(context.Background()) }

// OnSignal ends the process's context.
func OnSignal() {
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, os.Interrupt)
	go func() {
		<-sig
		stop()
	}()
}

// Reset makes the process's context anew, in a literal: nothing is nested.
var Reset = func() {
	stop()
	root, stop = context.WithCancel(context.Background())
}

// Reassigned replaces context and cancel function around a defer.
func Reassigned(ctx context.Context, s store) (string, error) {
	c, cancel := context.WithTimeout(ctx, time.Second)
	defer func() { cancel() }()
	v, err := s.Load(c, "1")
	if errors.Is(err, context.DeadlineExceeded) {
		cancel()
		c, cancel = context.WithTimeout(ctx, 2*time.Second)
		v, err = s.Load(c, "1")
	}
	return v, err
}

// Named returns the cancel function by a bare return.
func Named(ctx context.Context) (c context.Context, cancel context.CancelFunc) {
	c, cancel = context.WithTimeout(ctx, time.Second)
	return
}

// Hijack goes on with the connection after the handler, until its owner ends it.
func Hijack(v *server) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
		v.cancel = cancel
		go v.run(c)
	}
}
