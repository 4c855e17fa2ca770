// Package owned has roots whose cancel function goes to somebody else, in
// functions that no request is known to reach: that owner ends the work.
package owned

import (
	"context"
	"net/http"
	"sync"
	"time"
)

type runner interface {
	Run(ctx context.Context, id string) error
}

type Agent struct {
	running sync.Map
	cancel  context.CancelFunc
	stops   map[string]func()
}

// Perform's task is ended by who looks its cancel function up.
func (a *Agent) Perform(ctx context.Context, r runner, id string) error {
	task, cancel := context.WithCancel(context.Background()) // silent: owned-root
	a.running.Store(id, cancel)
	defer a.running.Delete(id)
	return r.Run(task, id)
}

func (a *Agent) Field(ctx context.Context, r runner) error {
	task, cancel := context.WithCancel(context.Background()) // silent: owned-root
	a.cancel = cancel
	return r.Run(task, "a")
}

func (a *Agent) Map(ctx context.Context, r runner, id string) error {
	task, cancel := context.WithTimeout(context.Background(), time.Hour) // silent: owned-root
	a.stops[id] = cancel
	return r.Run(task, id)
}

type subscription interface {
	Each(do func(ctx context.Context, id string) error)
}

// Follow returns what ends it, and its callback works until then.
func Follow(s subscription, r runner) func() {
	life, cancel := context.WithCancel(context.Background()) // silent: owned-root
	s.Each(func(ctx context.Context, id string) error {
		return r.Run(life, id)
	})
	return func() { cancel() }
}

// Kept by nobody: it is called when the function ends.
func (a *Agent) Deferred(ctx context.Context, r runner) error {
	task, cancel := context.WithCancel(context.Background()) // reported: CTX101
	defer cancel()
	return r.Run(task, "a")
}

func (a *Agent) DeferredClosure(ctx context.Context, r runner) error {
	task, cancel := context.WithCancel(context.Background()) // reported: CTX101
	defer func() { cancel() }()
	return r.Run(task, "a")
}

// ServeHTTP has a caller who waits.
func (a *Agent) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	task, cancel := context.WithCancel(context.Background()) // reported: CTX101
	a.cancel = cancel
	_ = a.next().Run(task, "a")
}

func (a *Agent) next() runner { return nil }
