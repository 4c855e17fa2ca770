// Package far has generic functions and types for another package.
package far

import (
	"context"
	"database/sql"
)

var db *sql.DB

// Each calls f for each value.
func Each[T, R any](vals []T, f func(T) (R, error)) ([]R, error) {
	var out []R
	for _, v := range vals {
		r, err := f(v)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// Store keeps values.
type Store[T any] struct{}

// Put makes its own context: nobody has one here.
func (Store[T]) Put(v T) error { return db.PingContext(context.Background()) }

// Write takes the caller's.
func (Store[T]) Write(ctx context.Context, v T) error { return db.PingContext(ctx) }
