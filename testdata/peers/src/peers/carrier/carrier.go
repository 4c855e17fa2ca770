// Package carrier has context parameters that are not spelled context.Context.
package carrier

import "context"

type store interface {
	Load(ctx context.Context, id string) (string, error)
}

// Alias is the context type of an SDK of former days.
type Alias = context.Context

func Aliased(ctx Alias, s store) (string, error) { return s.Load(ctx, "1") }

func AliasedFresh(ctx Alias, s store) (string, error) {
	return s.Load(context.Background(), "1") // want `use ctx \(CTX101\)`
}

// Extended is an interface that holds a context.
type Extended interface {
	context.Context
	User() string
}

func Interface(c Extended, s store) (string, error) { return s.Load(c, c.User()) }

func InterfaceFresh(c Extended, s store) (string, error) {
	return s.Load(context.Background(), c.User()) // want `use c \(CTX101\)`
}

// Struct is a type that embeds one.
type Struct struct {
	context.Context
	user string
}

func Embedded(c *Struct, s store) (string, error) { return s.Load(c, c.user) }

func EmbeddedFresh(c *Struct, s store) (string, error) {
	return s.Load(context.Background(), c.user) // want `use c \(CTX101\)`
}

// Two have two contexts to choose from, and choose one of them.
func Two(life, ctx context.Context, s store) (string, error) {
	if _, err := s.Load(life, "1"); err != nil {
		return "", err
	}
	return s.Load(ctx, "2")
}

// TwoFresh chooses neither.
func TwoFresh(life, ctx context.Context, s store) (string, error) {
	return s.Load(context.Background(), "1") // want `CTX101`
}

// Ignored says that it does not use its context, and no request is in sight.
func Ignored(_ context.Context, s store) (string, error) {
	c := context.Background()
	done := make(chan string, 1)
	go func() {
		v, _ := s.Load(c, "1")
		done <- v
	}()
	return <-done, nil
}

type node struct{}

func (*node) Load(ctx context.Context) error { return nil }

// Expression calls a method by its expression: the nil is the receiver.
func Expression(ctx context.Context) error { return (*node).Load(nil, ctx) }
