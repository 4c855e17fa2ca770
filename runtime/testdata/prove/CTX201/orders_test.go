package ctx201

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX201/after"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX201/before"
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
		Dependency: saturate.Dependency{ServiceTime: 10 * time.Millisecond, Order: saturate.LIFO},
		Capacity:   80, // orders of five items
	}
}

func TestGet(t *testing.T) {
	c := saturate.Compare(t,
		scenario(func(d *saturate.Deps) orderspb.OrdersServer { return before.New(stock{d}) }),
		scenario(func(d *saturate.Deps) orderspb.OrdersServer { return after.New(stock{d}) }))
	if c.Verdict != saturate.Proven {
		t.Errorf("%s: %s", c.Verdict, c.Why)
	}
}

type stock struct{ d *saturate.Deps }

func (s stock) Pack(string, int) error { return s.d.Do(context.Background()) }
