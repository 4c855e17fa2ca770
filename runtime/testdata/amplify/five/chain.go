// Package five is a chain of four services, each of which tries the next five
// times.
package five

import (
	"context"

	"google.golang.org/grpc"

	"github.com/ctxprop/ctxprop/runtime/testdata/amplify/chainpb"
)

const policy = `{
	"methodConfig": [{
		"name": [{"service": "chain.v1.B"}, {"service": "chain.v1.C"}, {"service": "chain.v1.D"}],
		"retryPolicy": {
			"maxAttempts": 5,
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
	return reply, err
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
	return reply, err
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
	return reply, err
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
