// Package db holds a database for others.
package db

import "database/sql"

// Store has a database inside.
type Store struct{ *sql.DB }

var Main Store
