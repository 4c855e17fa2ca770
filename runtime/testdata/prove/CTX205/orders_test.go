package ctx205

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX205/after"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX205/before"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

func scenario(server func(d *saturate.Deps) orderspb.OrdersServer) saturate.Scenario {
	return saturate.Scenario{
		Register: func(s grpc.ServiceRegistrar, d *saturate.Deps) { orderspb.RegisterOrdersServer(s, server(d)) },
		Call: func(ctx context.Context, cc grpc.ClientConnInterface) error {
			_, err := orderspb.NewOrdersClient(cc).Get(ctx, &orderspb.GetRequest{Id: "1"})
			return err
		},
		Deadline: 300 * time.Millisecond,
		// First in, first out would serve those who are next to give up.
		Dependency: saturate.Dependency{ServiceTime: 25 * time.Millisecond, Order: saturate.LIFO},
		Load:       0.6,
		Capacity:   80, // orders in two steps
	}
}

func TestGet(t *testing.T) {
	mended := scenario(func(d *saturate.Deps) orderspb.OrdersServer { return after.New(stock{d}) })
	mended.Expect = saturate.Expect{
		Verdict: saturate.NotSufficient,
		Reason:  "whoever has waited for the name is there at the check, and may be gone when the order is packed; at this load not every seed recovers, though all are better off",
	}
	c := saturate.Compare(t, scenario(func(d *saturate.Deps) orderspb.OrdersServer { return before.New(stock{d}) }), mended)
	if !c.Met || c.CliffsDelta != 1 {
		t.Errorf("%s: %s", c.Verdict, c.Why)
	}
}

type stock struct{ d *saturate.Deps }

func (s stock) Name(ctx context.Context, _ string) (string, error) { return "", s.d.Do(ctx) }

func (s stock) Pack(string, string) error { return s.d.Do(context.Background()) }
