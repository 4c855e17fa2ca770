// Package grpc stands for the real one, as far as these tests use it.
package grpc

import "context"

type DialOption interface{ apply() }

type ClientConn struct{}

func (*ClientConn) Invoke(ctx context.Context, method string, args, reply any, opts ...CallOption) error {
	return nil
}

type ClientConnInterface interface {
	Invoke(ctx context.Context, method string, args, reply any, opts ...CallOption) error
}

type CallOption interface{}

type ServiceRegistrar interface{ RegisterService(desc, impl any) }

func NewClient(target string, opts ...DialOption) (*ClientConn, error) { return nil, nil }

func WithDefaultServiceConfig(s string) DialOption { return nil }

func WithDisableServiceConfig() DialOption { return nil }

func WithDisableRetry() DialOption { return nil }

func WithMaxCallAttempts(n int) DialOption { return nil }

func WithUserAgent(s string) DialOption { return nil }

type UnaryInvoker func(ctx context.Context, method string, req, reply any, cc *ClientConn, opts ...CallOption) error

type UnaryClientInterceptor func(ctx context.Context, method string, req, reply any, cc *ClientConn, invoker UnaryInvoker, opts ...CallOption) error

func WithUnaryInterceptor(f UnaryClientInterceptor) DialOption { return nil }

func WithChainUnaryInterceptor(fs ...UnaryClientInterceptor) DialOption { return nil }

func MaxRetryRPCBufferSize(n int) CallOption { return nil }
