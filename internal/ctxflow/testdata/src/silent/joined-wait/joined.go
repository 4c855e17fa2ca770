// Package joined has waits for what was started beside them, which ends with
// the context by itself.
package joined

import (
	"context"
	"sync"
)

type loader interface {
	Load(ctx context.Context, id string) error
}

func Receives(ctx context.Context, l loader) error {
	done := make(chan error)
	go func() { done <- l.Load(ctx, "1") }() // silent: joined-wait
	return <-done                            // silent: joined-wait
}

func Waits(ctx context.Context, l loader) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		_ = l.Load(ctx, "1")
	}()
	wg.Wait() // silent: joined-wait
}

type pool struct {
	wg   sync.WaitGroup
	done chan error
}

// Field is shared by a goroutine that is started here.
func (p *pool) Field(ctx context.Context, l loader) error {
	go func() { p.done <- l.Load(ctx, "1") }() // silent: joined-wait
	return <-p.done                            // silent: joined-wait
}

// Others are waited for.
func (p *pool) Others(ctx context.Context) error {
	p.wg.Wait()     // reported: CTX203
	return <-p.done // reported: CTX203
}

type fan struct{ slots chan struct{} }

// FanOut's goroutines give back what it waits for.
func (p *fan) FanOut(ctx context.Context, jobs []func()) {
	for _, job := range jobs { // silent: joined-wait
		p.slots <- struct{}{}
		go func() {
			defer func() { <-p.slots }()
			job()
		}()
	}
}

// builder waits for what its own methods have started.
type builder struct {
	parts sync.WaitGroup
	old   sync.WaitGroup
}

func (b *builder) add(job func()) {
	b.parts.Add(1)
	go func() {
		defer b.parts.Done()
		job()
	}()
}

func (b *builder) Finish(ctx context.Context) {
	b.parts.Wait() // silent: joined-wait
}

// Others has another wait group, of which nobody here is done.
func (b *builder) Others(ctx context.Context) {
	b.old.Wait() // reported: CTX203
}

type gate struct {
	mu   sync.Mutex
	open *sync.Cond
	free int
}

// Woken wakes itself when its context ends, as the example of context.AfterFunc
// does, and then asks the context.
func (g *gate) Woken(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.open.Broadcast()
	})()
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.free == 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		g.open.Wait() // silent: joined-wait
	}
	g.free--
	return nil
}

// Freed is woken by whoever frees something; the end of its context is noticed
// only then.
func (g *gate) Freed(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.free == 0 && ctx.Err() == nil {
		g.open.Wait() // reported: CTX203
	}
	g.free--
	return ctx.Err()
}

func (g *gate) Free() {
	g.mu.Lock()
	g.free++
	g.mu.Unlock()
	g.open.Signal()
}
