package ctx106

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
			orderspb.RegisterOrdersServer(s, &server{stock: d})
		},
		Call: func(ctx context.Context, cc grpc.ClientConnInterface) error {
			_, err := orderspb.NewOrdersClient(cc).Get(ctx, &orderspb.GetRequest{Id: "1"})
			return err
		},
		Deadline: 300 * time.Millisecond,
	})
}
