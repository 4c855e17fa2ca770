package saturate

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
)

// Wrap puts a driver behind the harness's slots: every statement, prepared or
// in a transaction, takes a slot for a service time and then runs on the
// driver. Beginning, committing and rolling back take none.
func (d *Deps) Wrap(c driver.Connector) driver.Connector { return connector{c, d.w.dep} }

// DB returns a database without a driver: it accepts any statement, and answers
// a query with one row that holds the number 1. It has as many connections as
// the dependency has slots.
func (d *Deps) DB() *sql.DB {
	db := sql.OpenDB(d.Wrap(constant{}))
	db.SetMaxOpenConns(d.w.sc.Dependency.Concurrency)
	db.SetMaxIdleConns(d.w.sc.Dependency.Concurrency)
	d.w.onClose(func() { db.Close() })
	return db
}

type connector struct {
	driver.Connector
	d *dependency
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{inner, c.d}, nil
}

// statement is what a statement costs.
func (d *dependency) statement(ctx context.Context) error {
	d.arrive(ctx)
	return d.serve(ctx, attemptOf(ctx))
}

// A conn implements every optional interface of a connection and answers as
// database/sql does itself where the driver's has it not.
type conn struct {
	driver.Conn
	d *dependency
}

func (c *conn) Ping(ctx context.Context) error {
	if p, ok := c.Conn.(driver.Pinger); ok {
		return p.Ping(ctx)
	}
	return nil
}

func (c *conn) ResetSession(ctx context.Context) error {
	if r, ok := c.Conn.(driver.SessionResetter); ok {
		return r.ResetSession(ctx)
	}
	return nil
}

func (c *conn) IsValid() bool {
	v, ok := c.Conn.(driver.Validator)
	return !ok || v.IsValid()
}

func (c *conn) CheckNamedValue(v *driver.NamedValue) error { return checkNamedValue(c.Conn, v) }

func checkNamedValue(inner any, v *driver.NamedValue) error {
	if ch, ok := inner.(driver.NamedValueChecker); ok {
		return ch.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	with, ok := c.Conn.(driver.QueryerContext)
	without, old := c.Conn.(driver.Queryer) //lint:ignore SA1019 drivers still have it
	if !ok && !old {
		return nil, driver.ErrSkip // database/sql prepares instead
	}
	if err := c.d.statement(ctx); err != nil {
		return nil, err
	}
	if ok {
		return with.QueryContext(ctx, query, args)
	}
	values, err := positional(args)
	if err != nil {
		return nil, err
	}
	return without.Query(query, values)
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	with, ok := c.Conn.(driver.ExecerContext)
	without, old := c.Conn.(driver.Execer) //lint:ignore SA1019 drivers still have it
	if !ok && !old {
		return nil, driver.ErrSkip
	}
	if err := c.d.statement(ctx); err != nil {
		return nil, err
	}
	if ok {
		return with.ExecContext(ctx, query, args)
	}
	values, err := positional(args)
	if err != nil {
		return nil, err
	}
	return without.Exec(query, values)
}

func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	var inner driver.Stmt
	var err error
	if p, ok := c.Conn.(driver.ConnPrepareContext); ok {
		inner, err = p.PrepareContext(ctx, query)
	} else {
		inner, err = c.Conn.Prepare(query)
	}
	if err != nil {
		return nil, err
	}
	return &stmt{inner, c.d}, nil
}

func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if b, ok := c.Conn.(driver.ConnBeginTx); ok {
		return b.BeginTx(ctx, opts)
	}
	if opts != (driver.TxOptions{}) {
		return nil, errors.New("the driver knows neither isolation levels nor read-only transactions")
	}
	return c.Conn.Begin() //lint:ignore SA1019 the driver has no other
}

type stmt struct {
	driver.Stmt
	d *dependency
}

func (s *stmt) CheckNamedValue(v *driver.NamedValue) error { return checkNamedValue(s.Stmt, v) }

func (s *stmt) ColumnConverter(i int) driver.ValueConverter {
	//lint:ignore SA1019 drivers still have it
	if c, ok := s.Stmt.(driver.ColumnConverter); ok {
		return c.ColumnConverter(i)
	}
	return driver.DefaultParameterConverter
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if err := s.d.statement(ctx); err != nil {
		return nil, err
	}
	if q, ok := s.Stmt.(driver.StmtQueryContext); ok {
		return q.QueryContext(ctx, args)
	}
	values, err := positional(args)
	if err != nil {
		return nil, err
	}
	return s.Stmt.Query(values) //lint:ignore SA1019 the driver has no other
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if err := s.d.statement(ctx); err != nil {
		return nil, err
	}
	if e, ok := s.Stmt.(driver.StmtExecContext); ok {
		return e.ExecContext(ctx, args)
	}
	values, err := positional(args)
	if err != nil {
		return nil, err
	}
	return s.Stmt.Exec(values) //lint:ignore SA1019 the driver has no other
}

func positional(args []driver.NamedValue) ([]driver.Value, error) {
	values := make([]driver.Value, len(args))
	for i, a := range args {
		if a.Name != "" {
			return nil, errors.New("the driver does not know named parameters")
		}
		values[i] = a.Value
	}
	return values, nil
}

// constant is a driver whose tables all hold the number 1.
type constant struct{}

func (constant) Connect(context.Context) (driver.Conn, error) { return constant{}, nil }
func (constant) Open(string) (driver.Conn, error)             { return constant{}, nil }
func (c constant) Driver() driver.Driver                      { return c }
func (c constant) Prepare(string) (driver.Stmt, error)        { return c, nil }
func (constant) Close() error                                 { return nil }
func (c constant) Begin() (driver.Tx, error)                  { return c, nil }
func (constant) Commit() error                                { return nil }
func (constant) Rollback() error                              { return nil }
func (constant) NumInput() int                                { return -1 }
func (constant) Exec([]driver.Value) (driver.Result, error)   { return driver.RowsAffected(1), nil }
func (constant) Query([]driver.Value) (driver.Rows, error)    { return &oneRow{}, nil }

type oneRow struct{ read bool }

func (*oneRow) Columns() []string { return []string{"value"} }
func (*oneRow) Close() error      { return nil }

func (r *oneRow) Next(dest []driver.Value) error {
	if r.read {
		return io.EOF
	}
	r.read = true
	dest[0] = int64(1)
	return nil
}
