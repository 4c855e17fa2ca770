// Package twin has functions without a context beside siblings that take one:
// the choice is the caller's.
package twin

import "context"

type db interface {
	Query(ctx context.Context, q string) error
}

type store struct{ d db }

func (s *store) Get(id string) error {
	return s.GetContext(context.Background(), id) // silent: context-twin
}

func (s *store) GetContext(ctx context.Context, id string) error { return s.d.Query(ctx, id) }

func (s *store) Put(id string) error {
	return s.d.Query(context.Background(), id) // silent: context-twin
}

func (s *store) PutWithContext(ctx context.Context, id string) error { return s.d.Query(ctx, id) }

func (s *store) Del(id string) error {
	return s.d.Query(context.Background(), id) // silent: context-twin
}

func (s *store) DelCtx(id string, ctx context.Context) error { return s.d.Query(ctx, id) }

func Ping(d db) error {
	return d.Query(context.Background(), "ping") // silent: context-twin
}

func PingContext(ctx context.Context, d db) error { return d.Query(ctx, "ping") }

// Above passes on what a function below it makes, and has a twin itself.
func Above(d db) error { return below(d) }

func below(d db) error {
	return d.Query(context.Background(), "below") // silent: context-twin
}

func AboveContext(ctx context.Context, d db) error { return d.Query(ctx, "below") }

func Caller(ctx context.Context, s *store, d db) error {
	for _, f := range []error{s.Get("1"), s.Put("1"), s.Del("1"), Ping(d), Above(d)} { // reported: CTX202
		if f != nil {
			return f
		}
	}
	return nil
}

// Fetch's sibling takes no context: the name alone gives no choice.
func (s *store) Fetch(id string) error {
	return s.d.Query(context.Background(), id) // reported: CTX102
}

func (s *store) FetchContext(id string) error { return s.Fetch(id) }

// Find's namesake belongs to another type.
func (s *store) Find(id string) error {
	return s.d.Query(context.Background(), id) // reported: CTX102
}

type other struct{}

func (other) FindContext(ctx context.Context, id string) error { return nil }

func Misses(ctx context.Context, s *store) error {
	if err := s.Fetch("1"); err != nil {
		return err
	}
	return s.Find("1")
}
