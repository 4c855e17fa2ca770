// Package errgroup has of the real one what the tests call.
package errgroup

import "context"

type Group struct{}

func WithContext(ctx context.Context) (*Group, context.Context) { return &Group{}, ctx }

func (*Group) Go(f func() error) {}

func (*Group) Wait() error { return nil }
