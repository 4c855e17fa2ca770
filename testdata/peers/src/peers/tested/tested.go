// Package tested has something to test.
package tested

import "context"

type store interface {
	Load(ctx context.Context, id string) (string, error)
	Release(ctx context.Context) error
}

type memory struct{}

func (memory) Load(ctx context.Context, id string) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

func (memory) Release(ctx context.Context) error { return ctx.Err() }

func open(ctx context.Context) store { return memory{} }
