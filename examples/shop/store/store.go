// Package store keeps the shop's stock and orders in a SQL database.
package store

import (
	"context"
	"database/sql"
	"time"
)

// Store is safe for concurrent use.
type Store struct{ db *sql.DB }

// New returns a store on an open database.
func New(db *sql.DB) *Store { return &Store{db: db} }

// Stock returns how many of an item are left.
func (s *Store) Stock(ctx context.Context, item string) (int, error) {
	var n int
	err := s.db.QueryRowContext(ctx, "SELECT n FROM stock WHERE item = ?", item).Scan(&n)
	return n, err
}

// Orders returns what a customer has bought, newest first.
func (s *Store) Orders(ctx context.Context, customer string) ([]string, error) {
	return s.items(ctx, "SELECT item FROM orders WHERE customer = ? ORDER BY id DESC", customer)
}

// History returns what a customer has bought and returned, newest first. It
// has a deadline, but not its caller's: for five seconds after the last caller
// is gone, the database works for nobody.
func (s *Store) History(customer string) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return s.items(ctx, "SELECT item FROM history WHERE customer = ? ORDER BY id DESC", customer)
}

// Favourites returns what the speakers of a language like best.
func (s *Store) Favourites(ctx context.Context, language string) ([]string, error) {
	return s.items(ctx, "SELECT item FROM favourites WHERE language = ? ORDER BY sold DESC", language)
}

// Reserve takes one of an item out of the stock.
func (s *Store) Reserve(ctx context.Context, item string) error {
	return s.exec(ctx, "UPDATE stock SET n = n - 1 WHERE item = ?", item)
}

// Release undoes Reserve.
func (s *Store) Release(ctx context.Context, item string) error {
	return s.exec(ctx, "UPDATE stock SET n = n + 1 WHERE item = ?", item)
}

// Order records that a customer has bought an item.
func (s *Store) Order(ctx context.Context, customer, item string) error {
	return s.exec(ctx, "INSERT INTO orders (customer, item) VALUES (?, ?)", customer, item)
}

// Receipt records that a customer is owed a receipt for an item.
func (s *Store) Receipt(ctx context.Context, customer, item string) error {
	return s.exec(ctx, "INSERT INTO receipts (customer, item) VALUES (?, ?)", customer, item)
}

func (s *Store) exec(ctx context.Context, query string, args ...any) error {
	_, err := s.db.ExecContext(ctx, query, args...)
	return err
}

func (s *Store) items(ctx context.Context, query string, args ...any) ([]string, error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var items []string
	for rows.Next() {
		var item string
		if err := rows.Scan(&item); err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, rows.Err()
}
