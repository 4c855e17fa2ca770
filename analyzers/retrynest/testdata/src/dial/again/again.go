// Package again has interceptors that retry, and one that does not.
package again

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func pause(ctx context.Context, n int) {
	select {
	case <-time.After(100 * time.Millisecond << n):
	case <-ctx.Done():
	}
}

// Unary tries what it calls again while that is away.
func Unary(tries int) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) (err error) {
		for n := range tries {
			if err = next(ctx, method, req, reply, cc, opts...); status.Code(err) != codes.Unavailable {
				return err
			}
			if pause(ctx, n); ctx.Err() != nil {
				return ctx.Err()
			}
		}
		return err
	}
}

// Aborted tries it again while that is lost to another one.
func Aborted(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) (err error) {
	for n := range 5 {
		if err = next(ctx, method, req, reply, cc, opts...); status.Code(err) != codes.Aborted {
			return err
		}
		if pause(ctx, n); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return err
}

// Timed passes the call on.
func Timed(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return next(ctx, method, req, reply, cc, opts...)
}

// Options are for every client.
func Options(tries int) []grpc.DialOption {
	return []grpc.DialOption{grpc.WithUserAgent("x"), grpc.WithChainUnaryInterceptor(Timed, Unary(tries))}
}
