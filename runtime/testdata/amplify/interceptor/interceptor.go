// Package interceptor has an interceptor that tries three times on a connection
// whose service config does, too.
package interceptor

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ctxprop/ctxprop/runtime/testdata/amplify/chainpb"
)

const policy = `{
	"methodConfig": [{
		"name": [{"service": "chain.v1.D"}],
		"retryPolicy": {
			"maxAttempts": 3,
			"initialBackoff": "0.001s",
			"maxBackoff": "0.01s",
			"backoffMultiplier": 2,
			"retryableStatusCodes": ["UNAVAILABLE"]
		}
	}]
}`

func thrice(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) (err error) {
	for range 3 {
		if err = invoke(ctx, method, req, reply, cc, opts...); status.Code(err) != codes.Unavailable {
			return err
		}
	}
	return err
}

type a struct {
	chainpb.UnimplementedAServer
	next chainpb.DClient
}

func Register(s grpc.ServiceRegistrar, dial func(...grpc.DialOption) grpc.ClientConnInterface) {
	cc := dial(grpc.WithDefaultServiceConfig(policy), grpc.WithChainUnaryInterceptor(thrice))
	chainpb.RegisterAServer(s, &a{next: chainpb.NewDClient(cc)})
}

func (s *a) Do(ctx context.Context, req *chainpb.Request) (*chainpb.Reply, error) {
	return s.next.Do(ctx, req)
}
