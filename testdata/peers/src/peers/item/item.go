// Package item has contexts that belong to an item of work: they come with it
// from a map, a channel or a struct, and are the right ones for it.
package item

import (
	"context"
	"net/http"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
	Save(ctx context.Context, id string) error
}

type key struct{}

type job struct {
	ctx context.Context
	id  string
}

// FromMap looks the item's context up.
func FromMap(ctx context.Context, s store, jobs map[string]job) error {
	return s.Save(jobs["1"].ctx, "1")
}

// FromMapOfContexts has nothing but contexts in the map.
func FromMapOfContexts(ctx context.Context, s store, ctxs map[string]context.Context) error {
	return s.Save(ctxs["1"], "1")
}

// FromChannel is told of each item.
func FromChannel(ctx context.Context, s store, jobs <-chan job) error {
	for {
		select {
		case j := <-jobs:
			if err := s.Save(j.ctx, j.id); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// FromSlice goes through a list.
func FromSlice(ctx context.Context, s store, jobs []job) error {
	for _, j := range jobs {
		if err := s.Save(j.ctx, j.id); err != nil {
			return err
		}
	}
	return nil
}

// FromMapInGoroutine runs each item on its own.
func FromMapInGoroutine(ctx context.Context, s store, jobs map[string]job) {
	for id := range jobs {
		go s.Save(jobs[id].ctx, id)
	}
}

// Send hands the context over with the item.
func Send(ctx context.Context, jobs chan<- job) error {
	select {
	case jobs <- job{ctx: context.WithoutCancel(ctx), id: "1"}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Traced is a result that carries the context in which it was made, for
// those who trace it.
type Traced struct {
	Value string
	ctx   context.Context
}

func Result(ctx context.Context, s store) (Traced, error) {
	v, err := s.Load(ctx, "1")
	return Traced{Value: v, ctx: ctx}, err
}

// walker has a context because the callback that it is gives it none.
type walker struct {
	ctx context.Context
	s   store
}

func (w *walker) visit(path string) error { return w.s.Save(w.ctx, path) }

// Walk keeps its own context in the walker.
func Walk(ctx context.Context, s store, walk func(func(path string) error) error) error {
	w := &walker{ctx: ctx, s: s}
	return walk(w.visit)
}

// Copied changes a copy of the item in each round: no context grows.
func Copied(ctx context.Context, s store, jobs []job) error {
	for _, j := range jobs {
		j.ctx = context.WithValue(ctx, key{}, j.id)
		if err := s.Save(j.ctx, j.id); err != nil {
			return err
		}
	}
	return nil
}

// request is what a framework hands to its middleware.
type request struct{ ctx context.Context }

// Middleware replaces the request's context by one derived from it, in a
// function literal.
func Middleware(next func(*request) error) func(*request) error {
	return func(r *request) error {
		c := context.WithValue(r.ctx, key{}, "1")
		r.ctx = c
		return next(r)
	}
}

// Grown derives from itself in a loop, which is a matter of cost only.
func Grown(ctx context.Context, s store, ids []string) error {
	for _, id := range ids {
		ctx = context.WithValue(ctx, key{}, id)
		if err := s.Save(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// Mounted is the context of a mount in a handler that answers for it.
func Mounted(s store, mounts map[string]job) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = s.Load(mounts[r.URL.Path].ctx, "1")
	}
}
