// Package same has losses whose home and closing call are in one package.
package same

import (
	"context"

	"google.golang.org/grpc"
)

var conn grpc.ClientConnInterface

// Handle is a request root: what it reaches is reported at its home.
func Handle(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if err := direct(); err != nil {
		return nil, err
	}
	if err := first(); err != nil {
		return nil, err
	}
	s := &session{}
	if err := s.Begin(); err != nil {
		return nil, err
	}
	return handler(ctx, req)
}

func direct() error {
	return conn.Invoke(context.Background(), "/a", nil, nil) // want `^same\.direct makes its own context from context\.Background\(\): ClientConnInterface\.Invoke can outlive the caller of same\.Handle; give direct a ctx \(CTX102\)$`
}

func first() error  { return second() }
func second() error { return third() }

func third() error {
	return conn.Invoke(context.Background(), "/b", nil, nil) // want `^same\.third makes its own context`
}

type session struct{}

func (s *session) Begin() error {
	return conn.Invoke(context.TODO(), "/c", nil, nil) // want `^session\.Begin makes its own context from context\.TODO\(\): .* give Begin a ctx \(CTX102\)$`
}

// Two homes on one way are two findings; one home with two roots is one, for
// both have the same cause.
func Contract(ctx context.Context) error {
	if err := pair(); err != nil {
		return err
	}
	return above()
}

func pair() error {
	if err := conn.Invoke(context.Background(), "/d", nil, nil); err != nil { // want `^same\.pair makes its own context .*: ClientConnInterface\.Invoke \(and 1 more\) can outlive the caller of same\.Contract;`
		return err
	}
	return conn.Invoke(context.Background(), "/e", nil, nil)
}

func above() error {
	if err := conn.Invoke(context.Background(), "/f", nil, nil); err != nil { // want `^same\.above makes its own context`
		return err
	}
	return beneath()
}

func beneath() error {
	return conn.Invoke(context.Background(), "/g", nil, nil) // want `^same\.beneath makes its own context`
}

// shared is reached from a request and from a contract: one finding, at the
// request's grade.
func shared() error {
	return conn.Invoke(context.Background(), "/h", nil, nil) // want `caller of same\.`
}

func Shared(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if err := shared(); err != nil {
		return nil, err
	}
	return handler(ctx, req)
}

func SharedContract(ctx context.Context) error { return shared() }

// recursive and mutual call themselves on the way.
func Recursive(ctx context.Context) error { return ping(3) }

func ping(n int) error {
	if n == 0 {
		return conn.Invoke(context.Background(), "/i", nil, nil) // want `^same\.ping makes its own context`
	}
	return pong(n - 1)
}

func pong(n int) error { return ping(n) }

// Nobody with a context calls orphan.
func orphan() error { return conn.Invoke(context.Background(), "/j", nil, nil) }

func Start() { _ = orphan() }
