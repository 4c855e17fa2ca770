// Package gorm has of the real one what the tests call.
package gorm

import "context"

type DB struct{ Error error }

func (db *DB) WithContext(ctx context.Context) *DB                        { return db }
func (db *DB) Where(query any, args ...any) *DB                           { return db }
func (db *DB) Find(dest any, conds ...any) *DB                            { return db }
func (db *DB) Create(value any) *DB                                       { return db }
func (db *DB) Transaction(fc func(tx *DB) error, opts ...any) (err error) { return nil }
