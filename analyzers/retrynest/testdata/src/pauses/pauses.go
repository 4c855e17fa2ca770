// Package pauses has retries without a wait, or with one that does not vary,
// in loops of every shape, and what the fixes make of them.
package pauses

import (
	"context"
	"database/sql"
	"time"
)

type store struct{ db *sql.DB }

func (s *store) unnamed(ctx context.Context) (err error) {
	for range 5 { // want `CTX304`
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
	}
	return err
}

func (s *store) named(ctx context.Context) (rows *sql.Rows, err error) {
	for i := range 5 { // want `CTX304`
		if rows, err = s.db.QueryContext(ctx, "select", i); err == nil {
			break
		}
	}
	return rows, err
}

func (s *store) counted(ctx context.Context, tries int) (err error) {
	for i := 0; i < tries; i++ { // want `CTX304`
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
	}
	return err
}

// The second attempt waits up to a tenth of a second here, too.
func (s *store) fromOne(ctx context.Context) (err error) {
	for attempt := 1; attempt <= 4; attempt++ { // want `CTX304`
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
	}
	return err
}

// Nothing counts its rounds, so that no wait could grow.
func (s *store) condition(ctx context.Context) (err error) {
	for ctx.Err() == nil { // want `CTX304`
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
	}
	return err
}

// The counter is set back, so that it does not say which attempt it is.
func (s *store) setBack(ctx context.Context) (err error) {
	for i := 0; i < 5; i++ { // want `CTX304`
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
		if err == sql.ErrConnDone {
			i = 0
		}
	}
	return err
}

// What is called min here is something else.
func (s *store) shadowed(ctx context.Context, min int) (err error) {
	for range 5 { // want `CTX304`
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
	}
	return err
}

// The end of the context could not be told to the caller.
func (s *store) mute(ctx context.Context) (done bool) {
	for range 5 { // want `CTX304`
		if _, err := s.db.ExecContext(ctx, "update"); err == nil {
			return true
		}
	}
	return false
}

const gap = 2 * time.Second

func (s *store) flat(ctx context.Context) (err error) {
	for range 5 { // want `CTX311`
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
		select {
		case <-time.After(gap + time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

func (s *store) timer(ctx context.Context) (err error) {
	for range 5 { // want `CTX311`
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
		t := time.NewTimer(gap)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
	}
	return err
}

// A number of nanoseconds is no duration before the call makes it one.
func (s *store) number(ctx context.Context) (err error) {
	for range 5 { // want `CTX311`
		if _, err = s.db.ExecContext(ctx, "update"); err == nil {
			return nil
		}
		select {
		case <-time.After(1e9):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}
