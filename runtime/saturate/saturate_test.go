package saturate_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/ctxprop/ctxprop/runtime/saturate"
)

// A handler is what a test's service does.
type handler func(ctx context.Context, d *saturate.Deps) error

// register returns a Register for a service with one unary method.
func register(h handler) func(grpc.ServiceRegistrar, *saturate.Deps) {
	return func(s grpc.ServiceRegistrar, d *saturate.Deps) {
		s.RegisterService(&grpc.ServiceDesc{ServiceName: "test.Service", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{
			MethodName: "Do",
			Handler: func(srv any, ctx context.Context, dec func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
				in := new(emptypb.Empty)
				if err := dec(in); err != nil {
					return nil, err
				}
				return intercept(ctx, in, &grpc.UnaryServerInfo{Server: srv, FullMethod: "/test.Service/Do"}, func(ctx context.Context, _ any) (any, error) {
					if err := h(ctx, d); err != nil {
						return nil, err
					}
					return new(emptypb.Empty), nil
				})
			},
		}}}, nil)
	}
}

func call(ctx context.Context, cc grpc.ClientConnInterface) error {
	return cc.Invoke(ctx, "/test.Service/Do", new(emptypb.Empty), new(emptypb.Empty))
}

func scenario(h handler) saturate.Scenario {
	return saturate.Scenario{Register: register(h), Call: call, Deadline: 300 * time.Millisecond}
}

func TestLostDeadline(t *testing.T) {
	c := saturate.Compare(t,
		scenario(func(ctx context.Context, d *saturate.Deps) error {
			return d.Conn().Invoke(context.Background(), "/any.Thing/At.All", new(emptypb.Empty), new(emptypb.Empty))
		}),
		scenario(func(ctx context.Context, d *saturate.Deps) error {
			return d.Conn().Invoke(ctx, "/any.Thing/At.All", new(emptypb.Empty), new(emptypb.Empty))
		}))
	t.Logf("%+v", c)
}
