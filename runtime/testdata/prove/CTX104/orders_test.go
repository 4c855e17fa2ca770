package ctx104

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX104/after"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX104/before"
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
	}
}

func TestGet(t *testing.T) {
	c := saturate.Compare(t,
		scenario(func(d *saturate.Deps) orderspb.OrdersServer { return before.New(context.Background(), d) }),
		scenario(func(d *saturate.Deps) orderspb.OrdersServer { return after.New(context.Background(), d) }))
	if c.Verdict != saturate.Proven {
		t.Errorf("%s: %s", c.Verdict, c.Why)
	}
}
