// Package ended has goroutines that live as long as the function and that its
// own defers end.
package ended

import (
	"context"
	"sync"
	"time"
)

type leases interface {
	Renew(ctx context.Context) error
	Work(ctx context.Context) error
}

func Hold(ctx context.Context, l leases) error {
	life, cancel := context.WithCancel(context.Background()) // silent: ended-by-defer
	var wg sync.WaitGroup
	wg.Add(1)
	defer wg.Wait()
	defer cancel()
	go func() {
		defer wg.Done()
		for {
			select {
			case <-life.Done():
				return
			case <-time.After(time.Second):
				_ = l.Renew(life)
			}
		}
	}()
	return l.Work(ctx)
}

// Fan waits for work that nothing has cancelled yet.
func Fan(ctx context.Context, l leases) {
	step, cancel := context.WithTimeout(context.Background(), time.Minute) // reported: CTX101
	defer cancel()
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		_ = l.Work(step)
	}()
	wg.Wait() // silent: joined-wait
}
