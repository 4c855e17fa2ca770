// Package remapped is a chain of four services, each of which tries the next
// three times and reports a failure as one that is not to be tried again.
package remapped

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ctxprop/ctxprop/runtime/testdata/amplify/chainpb"
)

const policy = `{
	"methodConfig": [{
		"name": [{"service": "chain.v1.B"}, {"service": "chain.v1.C"}, {"service": "chain.v1.D"}],
		"retryPolicy": {
			"maxAttempts": 3,
			"initialBackoff": "0.001s",
			"maxBackoff": "0.01s",
			"backoffMultiplier": 2,
			"retryableStatusCodes": ["UNAVAILABLE"]
		}
	}]
}`

// Dial opens a connection to the next service.
type Dial func(...grpc.DialOption) grpc.ClientConnInterface

type a struct {
	chainpb.UnimplementedAServer
	next chainpb.BClient
}

func RegisterA(s grpc.ServiceRegistrar, dial Dial) {
	chainpb.RegisterAServer(s, &a{next: chainpb.NewBClient(dial(grpc.WithDefaultServiceConfig(policy)))})
}

func (s *a) Do(ctx context.Context, req *chainpb.Request) (*chainpb.Reply, error) {
	reply, err := s.next.Do(ctx, req)
	return reply, final(err)
}

type b struct {
	chainpb.UnimplementedBServer
	next chainpb.CClient
}

func RegisterB(s grpc.ServiceRegistrar, dial Dial) {
	chainpb.RegisterBServer(s, &b{next: chainpb.NewCClient(dial(grpc.WithDefaultServiceConfig(policy)))})
}

func (s *b) Do(ctx context.Context, req *chainpb.Request) (*chainpb.Reply, error) {
	reply, err := s.next.Do(ctx, req)
	return reply, final(err)
}

type c struct {
	chainpb.UnimplementedCServer
	next chainpb.DClient
}

func RegisterC(s grpc.ServiceRegistrar, dial Dial) {
	chainpb.RegisterCServer(s, &c{next: chainpb.NewDClient(dial(grpc.WithDefaultServiceConfig(policy)))})
}

func (s *c) Do(ctx context.Context, req *chainpb.Request) (*chainpb.Reply, error) {
	reply, err := s.next.Do(ctx, req)
	return reply, final(err)
}

// Stock is at the bottom.
type Stock interface {
	Do(ctx context.Context) error
}

type d struct {
	chainpb.UnimplementedDServer
	stock Stock
}

func RegisterD(s grpc.ServiceRegistrar, stock Stock) { chainpb.RegisterDServer(s, &d{stock: stock}) }

func (s *d) Do(ctx context.Context, _ *chainpb.Request) (*chainpb.Reply, error) {
	return new(chainpb.Reply), s.stock.Do(ctx)
}

// final is an error that no policy here lists.
func final(err error) error {
	if err == nil {
		return nil
	}
	return status.Error(codes.FailedPrecondition, err.Error())
}
