// Package stub is a gRPC service for tests: a unary method, Do, and a server
// stream, Watch, which both call one function.
package stub

import (
	"context"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Full methods.
const (
	DoMethod    = "/stub.Service/Do"
	WatchMethod = "/stub.Service/Watch"
)

// A Handler is what the service does for a call.
type Handler func(ctx context.Context) error

// Server is the service.
type Server struct{ Handler }

// Register registers a Server.
func Register(s grpc.ServiceRegistrar, h Handler) { s.RegisterService(&desc, &Server{h}) }

func (s *Server) Do(ctx context.Context, _ *emptypb.Empty) (*emptypb.Empty, error) {
	return new(emptypb.Empty), s.Handler(ctx)
}

func (s *Server) Watch(stream grpc.ServerStream) error {
	if err := stream.RecvMsg(new(emptypb.Empty)); err != nil {
		return err
	}
	if err := s.Handler(stream.Context()); err != nil {
		return err
	}
	return stream.SendMsg(new(emptypb.Empty))
}

var desc = grpc.ServiceDesc{
	ServiceName: "stub.Service", HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{MethodName: "Do", Handler: func(srv any, ctx context.Context, dec func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
		in := new(emptypb.Empty)
		if err := dec(in); err != nil {
			return nil, err
		}
		handle := func(ctx context.Context, req any) (any, error) { return srv.(*Server).Do(ctx, req.(*emptypb.Empty)) }
		if intercept == nil {
			return handle(ctx, in)
		}
		return intercept(ctx, in, &grpc.UnaryServerInfo{Server: srv, FullMethod: DoMethod}, handle)
	}}},
	Streams: []grpc.StreamDesc{{StreamName: "Watch", ServerStreams: true, Handler: func(srv any, stream grpc.ServerStream) error {
		return srv.(*Server).Watch(stream)
	}}},
}

// Do calls the unary method.
func Do(ctx context.Context, cc grpc.ClientConnInterface) error {
	return cc.Invoke(ctx, DoMethod, new(emptypb.Empty), new(emptypb.Empty))
}

// Watch calls the stream and reads it to its end.
func Watch(ctx context.Context, cc grpc.ClientConnInterface) error {
	s, err := cc.NewStream(ctx, &desc.Streams[0], WatchMethod)
	if err != nil {
		return err
	}
	if err := s.SendMsg(new(emptypb.Empty)); err != nil {
		return err
	}
	if err := s.CloseSend(); err != nil {
		return err
	}
	for {
		switch err := s.RecvMsg(new(emptypb.Empty)); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}
