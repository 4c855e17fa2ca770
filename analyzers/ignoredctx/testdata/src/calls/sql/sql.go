// Package sql has database/sql in full: every call that could have taken a
// context, in every dress.
package sql

import (
	"context"
	"database/sql"
	"net/http"
)

func DB(ctx context.Context, db *sql.DB) (err error) {
	if err = db.Ping(); err != nil { // want `^DB\.Ping in sql\.DB takes no context, so the caller's deadline cannot end it; use PingContext with ctx \(CTX202\)$`
		return err
	}
	if _, err = db.Prepare("select 1"); err != nil { // want `use PrepareContext with ctx`
		return err
	}
	rows, err := db.Query("select 1") // want `use QueryContext with ctx`
	if err != nil {
		return err
	}
	defer rows.Close()
	tx, err := db.Begin() // want `use BeginTx with ctx`
	if err != nil {
		return err
	}
	return tx.Commit()
}

func Row(ctx context.Context, db *sql.DB) (n int, err error) {
	err = db.QueryRow("select count(*) from t where a = ? and b = ?", 1, 2).Scan(&n) // want `^DB\.QueryRow in sql\.Row .* use QueryRowContext with ctx`
	return n, err
}

func Tx(ctx context.Context, tx *sql.Tx, st *sql.Stmt) error {
	if _, err := tx.Exec("insert into t values (1)"); err != nil { // want `^Tx\.Exec in`
		return err
	}
	// A cancellation between the two would leave half: no fix.
	if _, err := tx.Stmt(st).Exec(1); err != nil { // want `^Stmt\.Exec in` `^Tx\.Stmt in`
		return err
	}
	return tx.Commit()
}

func Conn(ctx context.Context, c *sql.Conn) error {
	return c.PingContext(ctx) // silent: it is given the context
}

type wrapped struct {
	*sql.DB
	name string
}

func Embedded(ctx context.Context, w wrapped) (*sql.Rows, error) {
	return w.Query(w.name) // want `^DB\.Query in sql\.Embedded .* use QueryContext with ctx`
}

// querier is satisfied by *sql.DB, *sql.Tx and *sql.Conn alike.
type querier interface {
	Query(query string, args ...any) (*sql.Rows, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRow(query string, args ...any) *sql.Row
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func Interface(ctx context.Context, q querier) error {
	rows, err := q.Query("select 1") // want `^querier\.Query in sql\.Interface .* use QueryContext with ctx`
	if err != nil {
		return err
	}
	defer rows.Close()
	return q.QueryRow("select 2").Err() // want `^querier\.QueryRow in sql\.Interface`
}

func MethodValue(ctx context.Context, db *sql.DB) error {
	ping := db.Ping
	return ping() // want `^DB\.Ping in sql\.MethodValue`
}

func Closure(ctx context.Context, db *sql.DB) error {
	do := func() error {
		return db.Ping() // want `^DB\.Ping in sql\.Closure .* use PingContext with ctx`
	}
	return do()
}

func Awaited(ctx context.Context, db *sql.DB) error {
	done := make(chan error, 1)
	go func() { done <- db.Ping() }() // want `^DB\.Ping in sql\.Awaited`
	return <-done
}

func Deferred(ctx context.Context, db *sql.DB) error {
	defer db.Exec("delete from locks") // silent: release in a defer
	return nil
}

func Apart(ctx context.Context, db *sql.DB) {
	go db.Exec("vacuum") // silent: nobody waits for it
}

func Nobody(db *sql.DB) error {
	return db.Ping() // silent: no caller with a context is in sight
}

type handler struct{ db *sql.DB }

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.db.Ping(); err != nil { // want `^DB\.Ping in handler\.ServeHTTP takes no context, so the request's deadline cannot end it; use PingContext with r\.Context\(\)`
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func Derived(parent context.Context, db *sql.DB) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	if err := db.Ping(); err != nil { // want `use PingContext with parent`
		return err
	}
	return db.PingContext(ctx)
}

func Shadowed(ctx context.Context, db *sql.DB, names []string) error {
	for _, ctx := range names { // the name means something else: no fix
		if _, err := db.Exec(ctx); err != nil { // want `^DB\.Exec in sql\.Shadowed`
			return err
		}
	}
	return nil
}

func Unnamed(_ context.Context, db *sql.DB) error {
	return db.Ping() // silent: the function declares that it does not use its context
}

func (h *handler) blank(w http.ResponseWriter, _ *http.Request) {
	_ = h.db.Ping() // want `name the context parameter and use PingContext`
}

// Open is start-up: the context bounds the process.
func Open(ctx context.Context, name string) (*sql.DB, error) {
	db, err := sql.Open("driver", name)
	if err != nil {
		return nil, err
	}
	return db, db.Ping() // silent: start-up
}
