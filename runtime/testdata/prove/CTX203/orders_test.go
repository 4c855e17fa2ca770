package ctx203

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
			orderspb.RegisterOrdersServer(s, &server{stock: slow{d}})
		},
		Call: func(ctx context.Context, cc grpc.ClientConnInterface) error {
			_, err := orderspb.NewOrdersClient(cc).Get(ctx, &orderspb.GetRequest{Id: "1"})
			return err
		},
		Deadline: 600 * time.Millisecond,
		Queue:    128,
		// First in, first out would serve those who are next to give up.
		Dependency: saturate.Dependency{Order: saturate.LIFO},
	})
}

type slow struct{ d *saturate.Deps }

func (s slow) Reserve(string) error { return s.d.Do(context.Background()) }
