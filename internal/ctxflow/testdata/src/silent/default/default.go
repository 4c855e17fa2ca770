// Package default_ has roots that only stand in for a context that is missing:
// a caller who gave one never meets them.
package default_

import "context"

type store interface {
	Load(ctx context.Context, id string) error
}

type key struct{}

type options struct {
	Ctx   context.Context
	Limit int
}

type request struct{ ctx context.Context }

func (r *request) Context() context.Context { return r.ctx }

func Nil(ctx context.Context, s store) error {
	if ctx == nil {
		ctx = context.Background() // silent: default
	}
	return s.Load(ctx, "1")
}

func NilLast(ctx context.Context, s store) error {
	c := ctx
	if nil == ctx {
		c = context.TODO() // silent: default
	}
	return s.Load(c, "1")
}

func NotNil(ctx context.Context, s store) error {
	var c context.Context
	if ctx != nil {
		c = ctx
	} else {
		c = context.Background() // silent: default
	}
	return s.Load(c, "1")
}

func NilRequest(r *request, s store) error {
	c := context.Background() // silent: default
	if r != nil {
		c = r.Context()
	}
	return s.Load(c, "1")
}

// NilOptions: there is no context where there are no options.
func NilOptions(ctx context.Context, o *options, s store) error {
	var c context.Context
	if o == nil {
		c = context.Background() // silent: default
	} else {
		c = o.Ctx
	}
	return s.Load(c, "1")
}

func Asserted(parent context.Context, s store) error {
	c, ok := parent.Value(key{}).(context.Context)
	if !ok {
		c = context.Background() // silent: default
	}
	return s.Load(c, "1")
}

func Mapped(ctx context.Context, m map[string]context.Context, s store) error {
	c, ok := m["1"]
	if !ok {
		c = context.Background() // silent: default
	}
	return s.Load(c, "1")
}

// Captured: the closure sees the variable after the test.
func Captured(ctx context.Context, s store) error {
	if ctx == nil {
		ctx = context.Background() // silent: default
	}
	load := func() error { return s.Load(ctx, "1") }
	return load()
}

func orDefault(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background() // silent: default
	}
	return ctx
}

func Helped(ctx context.Context, s store) error { return s.Load(orDefault(ctx), "1") }

// OtherTest asks about something else than the context.
func OtherTest(ctx context.Context, id string, s store) error {
	if id == "" {
		ctx = context.Background() // reported: CTX101
	}
	return s.Load(ctx, id)
}

// OtherNil asks about a pointer that holds no context.
func OtherNil(ctx context.Context, limit *int, s store) error {
	c := ctx
	if limit == nil {
		c = context.Background() // reported: CTX101
	}
	return s.Load(c, "1")
}

// Inverted drops the context of exactly the callers that gave one.
func Inverted(ctx context.Context, s store) error {
	if ctx != nil {
		ctx = context.Background() // reported: CTX101
	}
	return s.Load(ctx, "1")
}

// Always runs on after the test.
func Always(ctx context.Context, s store) error {
	if ctx == nil {
		return nil
	}
	return s.Load(context.Background(), "1") // reported: CTX101
}

// Overwritten tests first and drops it all the same.
func Overwritten(ctx context.Context, s store) error {
	if ctx == nil {
		ctx = context.Background()
	}
	ctx = context.Background() // reported: CTX101
	return s.Load(ctx, "1")
}
