// Package declared has functions of which a directive says that they wait on
// nobody's behalf, beside the same functions without one.
package declared

import "context"

type db interface {
	Query(ctx context.Context, q string) error
}

// Audit writes its row whatever becomes of the caller.
//
//ctxprop:quiet
func Audit(d db, row string) error {
	return d.Query(context.Background(), row) // silent: declared-quiet
}

// Record hands its work to a function that is not declared.
//
//ctxprop:quiet
func Record(d db, row string) error { return write(d, row) }

// Count's closure is part of it.
//
//ctxprop:quiet
func Count(ctx context.Context, d db) error {
	return func() error {
		return d.Query(context.Background(), "count") // silent: declared-quiet
	}()
}

// write has no other caller with a context, so the loss ends in Record.
func write(d db, row string) error {
	return d.Query(context.Background(), row) // silent: declared-quiet
}

// Save is like Audit, but nothing is declared of it.
func Save(d db, row string) error {
	return d.Query(context.Background(), row) // reported: CTX102
}

func Handle(ctx context.Context, d db) error {
	if err := d.Query(ctx, "first"); err != nil {
		return err
	}
	if err := Audit(d, "a"); err != nil {
		return err
	}
	if err := Record(d, "r"); err != nil {
		return err
	}
	return Save(d, "s")
}
