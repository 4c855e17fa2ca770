// Package store has functions that are given no context.
package store

import (
	"database/sql"
	"time"
)

type Store struct{ DB *sql.DB }

func (s *Store) Count() (n int, err error) {
	err = s.DB.QueryRow("select count(*) from t").Scan(&n)
	return n, err
}

func (s *Store) Twice() (int, error) {
	if _, err := s.Count(); err != nil {
		return 0, err
	}
	return s.Count()
}

func Pause() { time.Sleep(time.Minute) }

func Allowed(db *sql.DB) error {
	return db.Ping() //ctxprop:allow CTX202 the driver answers from memory
}
