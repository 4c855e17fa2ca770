package ctx307

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

func TestGet(t *testing.T) {
	saturate.Test(t, saturate.Scenario{
		Register: func(s grpc.ServiceRegistrar, d *saturate.Deps) {
			orderspb.RegisterOrdersServer(s, New(d.Next))
		},
		Call: func(ctx context.Context, cc grpc.ClientConnInterface) error {
			_, err := orderspb.NewOrdersClient(cc).Get(ctx, &orderspb.GetRequest{Id: "1"})
			return err
		},
		Deadline: 300 * time.Millisecond,
		Retry:    saturate.Retry{MaxAttempts: 1},
		Hops: []saturate.Hop{{
			Name: "stock",
			Register: func(s grpc.ServiceRegistrar, d *saturate.Deps) {
				orderspb.RegisterStockServer(s, &stock{d: d, away: time.Now().Add(3 * time.Second)})
			},
		}},
		Dependency: saturate.Dependency{ServiceTime: 10 * time.Millisecond},
		Rate:       40,
		// The load stays as it is: what comes after the warm-up is the loss of
		// replicas.
		Trigger: saturate.Trigger{Factor: 1},
	})
}

// stock has three replicas, two of which are away from some time on. A first
// attempt goes to any of them, a further one to the one that is left.
type stock struct {
	orderspb.UnimplementedStockServer
	d     *saturate.Deps
	away  time.Time
	taken atomic.Int64
}

func (s *stock) Take(ctx context.Context, req *orderspb.TakeRequest) (*orderspb.Item, error) {
	again := metadata.ValueFromIncomingContext(ctx, "grpc-previous-rpc-attempts") != nil
	if !again && s.taken.Add(1)%3 != 0 && time.Now().After(s.away) {
		return nil, status.Error(codes.Unavailable, "the replica is away")
	}
	return &orderspb.Item{Id: req.GetId()}, s.d.Do(ctx)
}
