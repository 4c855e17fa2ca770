// Package shared has work that runs once on behalf of many callers: the first
// of them must not be able to cancel it for the rest.
package shared

import (
	"context"
	"sync"

	"golang.org/x/sync/singleflight"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
}

type lazy struct {
	s    store
	once sync.Once
	g    singleflight.Group
}

func (l *lazy) Once(ctx context.Context) {
	l.once.Do(func() {
		_, _ = l.s.Load(context.Background(), "config") // silent: runs-shared
	})
}

func (l *lazy) OnceNamed(ctx context.Context) { l.once.Do(l.warm) }

func (l *lazy) warm() {
	_, _ = l.s.Load(context.Background(), "config") // silent: runs-shared
}

func (l *lazy) Flight(ctx context.Context, id string) (any, error) {
	v, err, _ := l.g.Do(id, func() (any, error) {
		return l.s.Load(context.Background(), id) // silent: runs-shared
	})
	return v, err
}

func (l *lazy) FlightChan(ctx context.Context, id string) (any, error) {
	ch := l.g.DoChan(id, func() (any, error) {
		return l.s.Load(context.Background(), id) // silent: runs-shared
	})
	select {
	case r := <-ch:
		return r.Val, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func OnceFunc(ctx context.Context, s store) {
	sync.OnceFunc(func() {
		_, _ = s.Load(context.Background(), "config") // silent: runs-shared
	})()
}

type mine struct{}

func (mine) Do(f func()) { f() }

// OwnDo only has the name.
func OwnDo(ctx context.Context, s store) {
	mine{}.Do(func() {
		_, _ = s.Load(context.Background(), "1") // reported: CTX101
	})
}

// Locked runs under a lock, but for this caller.
func (l *lazy) Locked(ctx context.Context, mu *sync.Mutex) (string, error) {
	mu.Lock()
	defer mu.Unlock()
	return l.s.Load(context.Background(), "1") // reported: CTX101
}

// Before the flight is the caller's own.
func (l *lazy) Before(ctx context.Context, id string) (any, error) {
	if _, err := l.s.Load(context.Background(), id); err != nil { // reported: CTX101
		return nil, err
	}
	v, err, _ := l.g.Do(id, func() (any, error) { return id, nil })
	return v, err
}
