// Package work has tests, which are the roots of their own calls.
package work

import "context"

type store interface {
	Load(ctx context.Context, id string) error
}

func onlyTested(s store) error {
	return s.Load(context.Background(), "1") // silent: test-file
}

func Work(ctx context.Context, s store) error {
	return s.Load(context.Background(), "1") // reported: CTX101
}
