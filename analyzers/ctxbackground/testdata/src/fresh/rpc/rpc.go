// Package rpc has gRPC methods of all four shapes and both interceptors.
package rpc

import (
	"context"

	"google.golang.org/grpc"

	"fresh/rpc/shelfpb"
)

type server struct{ conn grpc.ClientConnInterface }

var _ shelfpb.ShelfServer = (*server)(nil)

func (s *server) Lookup(ctx context.Context, in *shelfpb.Item) (*shelfpb.Item, error) {
	out := new(shelfpb.Item)
	return out, s.conn.Invoke(context.Background(), "/feature", in, out) // want `^context\.Background\(\) in server\.Lookup cuts ClientConnInterface\.Invoke off from the request's deadline; use ctx \(CTX101\)$`
}

func (s *server) List(in *shelfpb.Item, stream grpc.ServerStreamingServer[shelfpb.Item]) error {
	return s.conn.Invoke(context.Background(), "/feature", in, nil) // want `use stream\.Context\(\) \(CTX101\)$`
}

func (s *server) Upload(stream grpc.ClientStreamingServer[shelfpb.Item, shelfpb.Item]) error {
	return s.conn.Invoke(context.Background(), "/feature", nil, nil) // want `use stream\.Context\(\) \(CTX101\)$`
}

func (s *server) Chat(stream grpc.BidiStreamingServer[shelfpb.Item, shelfpb.Item]) error {
	for {
		in, err := stream.Recv()
		if err != nil {
			return err
		}
		// Lookup, which is called from here too, remains a request of its own.
		if _, err := s.Lookup(stream.Context(), in); err != nil {
			return err
		}
		if err := s.forward(context.Background(), in); err != nil { // want `^context\.Background\(\) in server\.Chat cuts ClientConnInterface\.Invoke off from the request's deadline; use stream\.Context\(\) \(CTX101\)$`
			return err
		}
	}
}

func (s *server) forward(ctx context.Context, in *shelfpb.Item) error {
	return s.conn.Invoke(ctx, "/forward", in, nil)
}

// helper is no method of the service: a bare shape is a contract, no request.
func (s *server) helper(ctx context.Context, in *shelfpb.Item) (*shelfpb.Item, error) {
	return in, s.conn.Invoke(context.Background(), "/feature", in, nil) // want `off from the caller's deadline; use ctx \(CTX101\)$`
}

func Unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	return handler(context.Background(), req) // want `^context\.Background\(\) in rpc\.Unary cuts handler off from the request's deadline; use ctx \(CTX101\)$`
}

func Stream(conn grpc.ClientConnInterface) any {
	return func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		if err := conn.Invoke(context.Background(), "/auth", nil, nil); err != nil { // want `use ss\.Context\(\) \(CTX101\)$`
			return err
		}
		return handler(srv, ss)
	}
}
