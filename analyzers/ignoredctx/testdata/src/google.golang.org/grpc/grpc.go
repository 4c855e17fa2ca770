// Package grpc has of the real one what the tests call.
package grpc

import "context"

type CallOption interface{}

type ClientConnInterface interface {
	Invoke(ctx context.Context, method string, args, reply any, opts ...CallOption) error
}

type ServiceRegistrar interface {
	RegisterService(desc *ServiceDesc, impl any)
}

type ServiceDesc struct{ ServiceName string }

type ServerStream interface {
	Context() context.Context
	SendMsg(m any) error
	RecvMsg(m any) error
}

type ServerStreamingServer[Res any] interface {
	Send(*Res) error
	ServerStream
}

type ClientStreamingServer[Req, Res any] interface {
	Recv() (*Req, error)
	SendAndClose(*Res) error
	ServerStream
}

type BidiStreamingServer[Req, Res any] interface {
	Recv() (*Req, error)
	Send(*Res) error
	ServerStream
}

type UnaryServerInfo struct{ FullMethod string }

type StreamServerInfo struct{ FullMethod string }

type UnaryHandler func(ctx context.Context, req any) (any, error)

type StreamHandler func(srv any, stream ServerStream) error

type UnaryServerInterceptor func(ctx context.Context, req any, info *UnaryServerInfo, handler UnaryHandler) (any, error)

type DialOption interface{ apply() }

type ClientConn struct{}

func (*ClientConn) Invoke(ctx context.Context, method string, args, reply any, opts ...CallOption) error {
	return nil
}

func NewClient(target string, opts ...DialOption) (*ClientConn, error) { return &ClientConn{}, nil }

func WithUserAgent(s string) DialOption { return nil }

func WithDefaultServiceConfig(s string) DialOption { return nil }
