// Package standin calls a database through interfaces of its own that take no
// context.
package standin

import (
	"context"
	"database/sql"
)

// execer is what a database and a transaction have in common.
type execer interface {
	Exec(query string, args ...any) (sql.Result, error)
}

func save(x execer, name string) error {
	_, err := x.Exec("insert into names values (?)", name) // want `^standin\.save calls (DB|Tx)\.Exec, which takes no context: it can outlive the caller of standin\.(Direct|Save); give save a ctx and use ExecContext \(CTX202\)$`
	return err
}

func Save(ctx context.Context, db *sql.DB, name string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := save(tx, name); err != nil {
		return err
	}
	return tx.Commit()
}

func Direct(ctx context.Context, db *sql.DB, name string) error { return save(db, name) }

// recorder may be one that only records.
type recorder interface {
	Exec(query string, args ...any) (sql.Result, error)
}

type journal struct{ lines []string }

func (j *journal) Exec(query string, args ...any) (sql.Result, error) {
	j.lines = append(j.lines, query)
	return nil, nil
}

func record(x recorder, name string) error {
	_, err := x.Exec("insert into names values (?)", name) // silent: a journal does not block
	return err
}

func Record(ctx context.Context, db *sql.DB, name string) error {
	if err := record(&journal{}, name); err != nil {
		return err
	}
	return record(db, name)
}

// given is made by others alone.
type given interface {
	Exec(query string, args ...any) (sql.Result, error)
}

func Given(ctx context.Context, x given) error {
	_, err := x.Exec("select 1") // silent: what it is, is not known
	return err
}

// narrowed comes from another interface as well.
type narrowed interface {
	Exec(query string, args ...any) (sql.Result, error)
}

func narrow(x narrowed) error {
	_, err := x.Exec("select 1") // silent: the other interface may have been anything
	return err
}

func Narrow(ctx context.Context, db *sql.DB, x given) error {
	if err := narrow(db); err != nil {
		return err
	}
	return narrow(x)
}
