// Package sibling has functions that the catalog does not know, beside ones
// that take a context and do the same.
package sibling

import (
	"context"
	"database/sql"
)

type store struct{ db *sql.DB }

func (s *store) Load(id string) error { return s.LoadContext(context.Background(), id) }

func (s *store) LoadContext(ctx context.Context, id string) error {
	_, err := s.db.ExecContext(ctx, id)
	return err
}

// Each's function gains a context too.
func (s *store) Each(f func(id string) error) error {
	return s.EachContext(context.Background(), func(_ context.Context, id string) error { return f(id) })
}

func (s *store) EachContext(ctx context.Context, f func(ctx context.Context, id string) error) error {
	if err := s.db.PingContext(ctx); err != nil {
		return err
	}
	return f(ctx, "1")
}

// Parse has a sibling that reads values only: it does not block.
func (s *store) Parse(id string) error { return s.ParseContext(context.Background(), id) }

func (s *store) ParseContext(ctx context.Context, id string) error {
	if ctx.Value(s) == nil {
		return sql.ErrNoRows
	}
	return nil
}

// Find's namesake does something else: it returns more.
func (s *store) Find(id string) error { return nil }

func (s *store) FindContext(ctx context.Context, id string) (int, error) {
	return 0, s.db.PingContext(ctx)
}

func Use(ctx context.Context, s *store) error {
	if err := s.Load("1"); err != nil { // want `^store\.Load in sibling\.Use takes no context, so the caller's deadline cannot end it; use LoadContext with ctx \(CTX202\)$`
		return err
	}
	if err := s.Parse("1"); err != nil { // silent: the sibling does not block
		return err
	}
	if err := s.Find("1"); err != nil { // silent: no sibling with the same results
		return err
	}
	return s.Each(func(id string) error { return s.LoadContext(ctx, id) }) // want `^store\.Each in sibling\.Use`
}

func Ping(db *sql.DB) error { return PingContext(context.Background(), db) }

func PingContext(ctx context.Context, db *sql.DB) error { return db.PingContext(ctx) }

func UsePing(ctx context.Context, db *sql.DB) error {
	return Ping(db) // want `^sibling\.Ping in sibling\.UsePing .* use sibling\.PingContext with ctx`
}

// GetContext is the sibling itself: it cannot be told to use itself.
func (s *store) GetContext(ctx context.Context, id string) error { return s.Get(id) }

func (s *store) Get(id string) error { return nil }

type logger interface {
	Info(msg string) error
	InfoContext(ctx context.Context, msg string) error
}

type appLogger struct{}

func (appLogger) Info(msg string) error                             { return nil }
func (appLogger) InfoContext(ctx context.Context, msg string) error { return nil }

func Log(ctx context.Context, l logger, a appLogger) {
	_ = a.Info("loaded") // silent: a logger reads values
}
