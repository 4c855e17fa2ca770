// Package link dials with interceptors and service configs.
package link

import (
	"context"
	"time"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/retry"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"dial/again"
)

const policy = `{"methodConfig": [{"name": [{"service": "shop.v1.Stock"}], "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

const throttled = `{"methodConfig": [{"name": [{"service": "shop.v1.Stock"}], "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}], "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}}`

// A library's interceptor over the policy of the same client.
func Library() (*grpc.ClientConn, error) {
	return grpc.NewClient("x", grpc.WithDefaultServiceConfig(policy),
		grpc.WithUnaryInterceptor(retry.UnaryClientInterceptor(retry.WithMax(3)))) // want `each method of shop.v1.Stock can be called 3×4 = 12 times for one call of retry.UnaryClientInterceptor: retry.UnaryClientInterceptor tries 3 times \(link/link.go:\d+\), the service config for shop.v1.Stock tries 4 times \(link/link.go:\d+\)`
}

// Who dials is handed in.
func Handed(dial func(...grpc.DialOption) grpc.ClientConnInterface) grpc.ClientConnInterface {
	return dial(grpc.WithDefaultServiceConfig(policy),
		grpc.WithUnaryInterceptor(retry.UnaryClientInterceptor(retry.WithMax(3)))) // want `each method of shop.v1.Stock can be called 3×4 = 12 times for one call of retry.UnaryClientInterceptor`
}

// Without a count the library's interceptor retries nothing.
func Idle() (*grpc.ClientConn, error) {
	return grpc.NewClient("x", grpc.WithDefaultServiceConfig(policy), grpc.WithUnaryInterceptor(retry.UnaryClientInterceptor()))
}

// The interceptor and its count come from another package, in a slice.
func Shared() (*grpc.ClientConn, error) {
	opts := append(again.Options(5), grpc.WithDefaultServiceConfig(policy)) // want `5×4 = 20 times for one call of again.Unary`
	return grpc.NewClient("x", opts...)
}

// What the one repeats is not what the other one repeats.
func Disjoint() (*grpc.ClientConn, error) {
	return grpc.NewClient("x", grpc.WithDefaultServiceConfig(policy), grpc.WithChainUnaryInterceptor(again.Aborted))
}

// The policy is off.
func Off() (*grpc.ClientConn, error) {
	return grpc.NewClient("x", again.Options(5)[0], grpc.WithChainUnaryInterceptor(again.Unary(5)), grpc.WithDisableRetry(), grpc.WithDefaultServiceConfig(policy)) // want `grpc.WithDisableRetry turns its retryPolicy off`
}

// A budget bounds what the policy adds, so that one layer is left.
func Budget() (*grpc.ClientConn, error) {
	return grpc.NewClient("x", grpc.WithDefaultServiceConfig(throttled), grpc.WithUnaryInterceptor(retry.UnaryClientInterceptor(retry.WithMax(3)))) // want `3×4 = 12 times`
}

type stubborn struct{ tries int }

func (s stubborn) unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) (err error) {
	for n := 0; n < s.tries; n++ {
		if err = next(ctx, method, req, reply, cc, opts...); status.Code(err) != codes.Unavailable { // want `each method of shop.v1.Stock can be called 6×4 = 24 times for one call of stubborn.unary`
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond << n):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// A method value, in options that a condition adds to. Here the place is the
// interceptor's own call.
func Method(slow bool) (*grpc.ClientConn, error) {
	opts := []grpc.DialOption{grpc.WithDefaultServiceConfig(policy)}
	if slow {
		opts = append(opts, grpc.WithChainUnaryInterceptor(stubborn{tries: 6}.unary))
	}
	return grpc.NewClient("x", opts...)
}

// Two interceptors in a chain, the first one outermost.
func Chain() (*grpc.ClientConn, error) {
	return grpc.NewClient("x", grpc.WithChainUnaryInterceptor(again.Unary(2), again.Timed, again.Unary(7))) // want `each method can be called 2×7 = 14 times`
}

// Plain has one layer, which the callers of its methods do not see.
func Plain() (*grpc.ClientConn, error) {
	return grpc.NewClient("x", grpc.WithChainUnaryInterceptor(again.Unary(3)))
}

// Counted sets the count of the library's interceptor.
func Counted() (*grpc.ClientConn, error) {
	return grpc.NewClient("x", grpc.WithUnaryInterceptor(retry.UnaryClientInterceptor(retry.WithMax(3))))
}

// Configured has a policy alone.
func Configured() (*grpc.ClientConn, error) {
	return grpc.NewClient("x", grpc.WithDefaultServiceConfig(policy))
}
