package ctx311

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"

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
			Name:     "stock",
			Register: func(s grpc.ServiceRegistrar, d *saturate.Deps) { orderspb.RegisterStockServer(s, &stock{d: d}) },
		}},
		Trigger: saturate.Trigger{Kind: saturate.Blackout},
		Expect: saturate.Expect{
			Verdict: saturate.NotSufficient,
			Reason:  "the fix varies the waits, so that what failed together does not come back together; it leaves their number, which is what a blackout shows, and calls that come at random do not fail together",
		},
	})
}

type stock struct {
	orderspb.UnimplementedStockServer
	d *saturate.Deps
}

func (s *stock) Take(ctx context.Context, req *orderspb.TakeRequest) (*orderspb.Item, error) {
	return &orderspb.Item{Id: req.GetId()}, s.d.Do(ctx)
}
