// Package waves tries rounds of work again whose members try again themselves, in
// goroutines that the round waits for.
package waves

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

var errBusy = errors.New("busy")

type index interface {
	Put(ctx context.Context, doc string) error
}

type loader struct{ ix index }

func wait(ctx context.Context, n int) error {
	select {
	case <-time.After(time.Second << n):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *loader) one(ctx context.Context, doc string) error {
	var err error
	for n := range 4 {
		if err = l.ix.Put(ctx, doc); !errors.Is(err, errBusy) {
			return err
		}
		if err := wait(ctx, n); err != nil {
			return err
		}
	}
	return err
}

func again(ctx context.Context, round func(context.Context) error) error {
	var err error
	for n := range 3 {
		if err = round(ctx); !errors.Is(err, errBusy) {
			return err
		}
		if err := wait(ctx, n); err != nil {
			return err
		}
	}
	return err
}

func (l *loader) slice(ctx context.Context, docs []string) error {
	errs := make([]error, len(docs))
	var wg sync.WaitGroup
	for i, d := range docs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = l.one(ctx, d)
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (l *loader) Slice(ctx context.Context, docs []string) error {
	for n := 0; ; n++ {
		err := l.slice(ctx, docs) // want `index.Put can be called 3×4 = 12 times for one call of loader.Slice`
		if err == nil || n == 2 || !errors.Is(err, errBusy) {
			return err
		}
		if err := wait(ctx, n); err != nil {
			return err
		}
	}
}

func (l *loader) channel(ctx context.Context, docs []string) error {
	errs := make(chan error)
	for _, d := range docs {
		go func() {
			if err := l.one(ctx, d); err != nil {
				errs <- err
				return
			}
			errs <- nil
		}()
	}
	for range docs {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) Channel(ctx context.Context, docs []string) error {
	return again(ctx, func(ctx context.Context) error {
		return l.channel(ctx, docs) // want `index.Put can be called 3×4 = 12 times for one call of loader.Channel`
	})
}

func (l *loader) group(ctx context.Context, docs []string) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, d := range docs {
		g.Go(func() error { return l.one(ctx, d) })
	}
	return g.Wait()
}

func (l *loader) Group(ctx context.Context, docs []string) error {
	return again(ctx, func(ctx context.Context) error {
		return l.group(ctx, docs) // want `index.Put can be called 3×4 = 12 times for one call of loader.Group`
	})
}

// logged keeps to itself what has failed.
func (l *loader) logged(ctx context.Context, docs []string) error {
	var wg sync.WaitGroup
	for _, d := range docs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := l.one(ctx, d); err != nil {
				log.Print(err)
			}
		}()
	}
	wg.Wait()
	return l.ix.Put(ctx, "end")
}

func (l *loader) Logged(ctx context.Context, docs []string) error {
	return again(ctx, func(ctx context.Context) error {
		return l.logged(ctx, docs) // silent: the members' failures make no other round
	})
}

// counted says only that something has failed.
func (l *loader) counted(ctx context.Context, docs []string) error {
	errs := make([]error, len(docs))
	var wg sync.WaitGroup
	for i, d := range docs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = l.one(ctx, d)
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return errors.New("a document was not put")
		}
	}
	return nil
}

func (l *loader) Counted(ctx context.Context, docs []string) error {
	return again(ctx, func(ctx context.Context) error {
		return l.counted(ctx, docs) // silent: what comes back is not known to be busy
	})
}

// started leaves its members alone.
func (l *loader) started(ctx context.Context, docs []string) error {
	errs := make(chan error, len(docs))
	for _, d := range docs {
		go func() { errs <- l.one(ctx, d) }()
	}
	return nil
}

func (l *loader) Started(ctx context.Context, docs []string) error {
	return again(ctx, func(ctx context.Context) error {
		return l.started(ctx, docs) // silent: nobody waits for them
	})
}

// otherGroup waits for others than it has added.
func (l *loader) otherGroup(ctx context.Context, docs []string) error {
	var g, other errgroup.Group
	for _, d := range docs {
		g.Go(func() error { return l.one(ctx, d) })
	}
	return other.Wait()
}

func (l *loader) OtherGroup(ctx context.Context, docs []string) error {
	return again(ctx, func(ctx context.Context) error {
		return l.otherGroup(ctx, docs) // silent: other members
	})
}
