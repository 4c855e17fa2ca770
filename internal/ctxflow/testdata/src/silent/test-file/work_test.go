package work

import "context"

func helper(ctx context.Context, s store) error {
	return s.Load(context.Background(), "1") // silent: test-file
}

func fakeContext(ctx context.Context) context.Context {
	return context.Background() // silent: test-file
}

func check(ctx context.Context, s store) error { return onlyTested(s) }
