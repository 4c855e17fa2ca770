// Package ctxbackground defines an Analyzer that finds where the context of a
// request is replaced by a fresh one on the way to blocking work.
//
// # Analyzer ctxbackground
//
// ctxbackground: check that a request's context is not replaced by a fresh one
//
// The ctxbackground analyzer reports a root context, context.Background() or
// context.TODO() and what is derived from them, where it reaches blocking work
// that serves a request: in the handler itself, in a function below it at any
// depth, in another package.
//
//	func (s *Store) Profile(id string) (*Profile, error) {
//		row := s.db.QueryRowContext(context.Background(), query, id) // the handler's deadline ends here
//		...
//	}
//
// It reports only where a caller's context is at hand or can be passed down:
// CTX101 in a function that has one, CTX102 at a function that makes its own
// although every path to it has one, CTX106 at a helper that takes a context
// and returns another.
//
// It is silent about roots in main, init and tests, defaults for a nil
// context, shutdown after the context has ended, release in a defer or on a
// failing path, bounded work that nobody awaits, bounded steps of a loop that
// leaves on its own context, resources that outlive the request, and copies of
// a context's values. A missing fact is never a reason to report.
package ctxbackground
