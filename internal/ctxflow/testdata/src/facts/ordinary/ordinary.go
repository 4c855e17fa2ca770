// Package ordinary has what most code is like: nothing in it differs from what
// its signatures say, so it has no facts.
package ordinary

import (
	"context"
	"time"
)

type db interface {
	Query(ctx context.Context, q string) (int, error)
}

type Store struct {
	db db
	n  int
}

func New(d db) *Store { return &Store{db: d} }

func (s *Store) Get(ctx context.Context, id string) (int, error) { return s.db.Query(ctx, id) }

func (s *Store) Put(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := s.db.Query(ctx, id)
	return err
}

func (s *Store) Each(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if _, err := s.Get(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) Len() int { return s.n }

func (s *Store) tagged(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, s.n)
}

func (s *Store) Tagged(ctx context.Context, id string) error { return s.Put(s.tagged(ctx), id) }

type key struct{}

func Retry(ctx context.Context, n int, s *Store) error { // fact: retries(#1×ordinary.Retry > db.Query)
	var err error
	for range n {
		if err = s.Put(ctx, "1"); err == nil {
			break
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

func Sum(ns []int) (total int) {
	for _, n := range ns {
		total += n
	}
	return total
}
