// Package store makes roots of its own; nobody in it has a context.
package store

import "context"

type Driver interface {
	Query(ctx context.Context, q string) error
}

type Store struct{ D Driver }

func (s *Store) Profile(id string) error { return s.query("profile " + id) }

func (s *Store) query(q string) error { return s.D.Query(context.Background(), q) }

// Both makes two roots, of one cause.
func (s *Store) Both() error {
	if err := s.D.Query(context.Background(), "a"); err != nil {
		return err
	}
	return s.D.Query(context.TODO(), "b")
}

// Fine has its caller's context.
func (s *Store) Fine(ctx context.Context) error { return s.D.Query(ctx, "c") }
