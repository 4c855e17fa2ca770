// Package variables has contexts in variables that are captured and assigned
// again, before and after the closure is made.
package variables

import "context"

type sink interface {
	Load(ctx context.Context) error
}

func Reassigned(ctx context.Context, s sink) error {
	if err := s.Load(ctx); err != nil { // origin: parameter
		return err
	}
	ctx = context.Background()
	return s.Load(ctx) // origin: fresh
}

func Shadowed(ctx context.Context, s sink) error {
	{
		ctx := context.Background()
		if err := s.Load(ctx); err != nil { // origin: fresh
			return err
		}
	}
	return s.Load(ctx) // origin: parameter
}

func Captured(ctx context.Context, s sink) error {
	f := func() error {
		return s.Load(ctx) // origin: parameter
	}
	return f()
}

func CapturedTwice(ctx context.Context, s sink) error {
	f := func() error {
		g := func() error {
			return s.Load(ctx) // origin: parameter
		}
		return g()
	}
	return f()
}

// Before: the closure can only see the second value.
func Before(ctx context.Context, s sink) error {
	ctx = context.Background()
	f := func() error {
		return s.Load(ctx) // origin: fresh
	}
	return f()
}

// After: the closure may run before or after the assignment.
func After(ctx context.Context, s sink) error {
	f := func() error {
		return s.Load(ctx) // origin: fresh? parameter
	}
	if err := f(); err != nil {
		return err
	}
	ctx = context.Background()
	return s.Load(ctx) // origin: fresh
}

// Declared: nothing reaches the making of the closure, so that what comes
// later is certain.
func Declared(ctx context.Context, s sink) error {
	var c context.Context
	f := func() error {
		return s.Load(c) // origin: fresh
	}
	c = context.Background()
	return f()
}

// Inside: the closure assigns to the variable, which the function reads; it
// may not have run by then.
func Inside(ctx context.Context, s sink) error {
	f := func() { ctx = context.Background() }
	if err := s.Load(ctx); err != nil { // origin: fresh? parameter
		return err
	}
	f()
	return nil
}

func Parameter(ctx context.Context, s sink) error {
	f := func(ctx context.Context) error {
		return s.Load(ctx) // origin: parameter
	}
	return f(ctx) // origin: parameter
}

// Address is written through a pointer by another function: not known.
func Address(ctx context.Context, s sink, set func(*context.Context)) error {
	c := ctx
	set(&c)
	return s.Load(c) // origin: parameter
}

func Multiple(ctx context.Context, s sink) error {
	a, b := ctx, context.Background()
	a, b = b, a
	if err := s.Load(a); err != nil { // origin: fresh
		return err
	}
	return s.Load(b) // origin: parameter
}

func NamedResult(ctx context.Context, s sink) (c context.Context, err error) {
	c = ctx
	defer func() {
		_, err = c, s.Load(c) // origin: parameter
	}()
	return
}
