// Package start has losses that belong to the start or the end of a process,
// and no request in sight.
package start

import "context"

type database interface {
	Ping(ctx context.Context) error
	Load(ctx context.Context, id string) error
}

type Store struct{ db database }

// NewStore is a constructor: its context bounds the process, not a call.
func NewStore(db database) (*Store, error) {
	if err := db.Ping(context.Background()); err != nil { // silent: start-up
		return nil, err
	}
	return &Store{db: db}, nil
}

// Boot has a context, which is that of the process.
func Boot(ctx context.Context, db database) (*Store, error) { return NewStore(db) }

func (s *Store) warm() error {
	return s.db.Load(context.Background(), "all") // silent: start-up
}

// Run is a server's own loop.
func (s *Store) Run(ctx context.Context) error { return s.warm() }

func (s *Store) one() error {
	return s.db.Load(context.Background(), "1") // reported: CTX102
}

// One has no more than a caller, who waits.
func (s *Store) One(ctx context.Context) error { return s.one() }

// Newest begins with the same letters as a constructor, and is none.
func (s *Store) Newest(ctx context.Context) error { return s.newest() }

func (s *Store) newest() error {
	return s.db.Load(context.Background(), "-1") // reported: CTX102
}
