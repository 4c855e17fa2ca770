// Package slowdb is a database/sql driver without a database: every statement
// takes a fixed time, honours its context, and answers with one row that holds
// the number 1. It stands in for a loaded server, so that the shop runs anywhere.
package slowdb

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"time"
)

// Connector opens connections whose statements take Delay. Logf, if not nil,
// is told how each one ended.
type Connector struct {
	Delay time.Duration
	Logf  func(format string, args ...any)
}

// Connect implements driver.Connector.
func (c Connector) Connect(context.Context) (driver.Conn, error) { return conn{c}, nil }

// Driver implements driver.Connector. There is nothing to open by name.
func (c Connector) Driver() driver.Driver { return nil }

type conn struct{ Connector }

func (c conn) QueryContext(ctx context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	return &one{}, c.work(ctx, query)
}

func (c conn) ExecContext(ctx context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(1), c.work(ctx, query)
}

func (c conn) work(ctx context.Context, query string) error {
	done := time.NewTimer(c.Delay)
	defer done.Stop()
	select {
	case <-done.C:
		c.logf("completed: %s", query)
		return nil
	case <-ctx.Done():
		c.logf("stopped:   %s", query)
		return ctx.Err()
	}
}

func (c conn) logf(format string, args ...any) {
	if c.Logf != nil {
		c.Logf(format, args...)
	}
}

var errUnsupported = errors.New("slowdb: not supported")

func (conn) Prepare(string) (driver.Stmt, error) { return nil, errUnsupported }
func (conn) Begin() (driver.Tx, error)           { return nil, errUnsupported }
func (conn) Close() error                        { return nil }

// one is a result of a single row.
type one struct{ read bool }

func (*one) Columns() []string { return []string{"value"} }
func (*one) Close() error      { return nil }

func (r *one) Next(row []driver.Value) error {
	if r.read {
		return io.EOF
	}
	r.read = true
	row[0] = int64(1)
	return nil
}
