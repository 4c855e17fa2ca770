package ctx204

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

func TestGet(t *testing.T) {
	saturate.Test(t, saturate.Scenario{
		Register: func(s grpc.ServiceRegistrar, d *saturate.Deps) {
			orderspb.RegisterOrdersServer(s, &server{stock: &stockroom{d: d}})
		},
		Call: func(ctx context.Context, cc grpc.ClientConnInterface) error {
			_, err := orderspb.NewOrdersClient(cc).Get(ctx, &orderspb.GetRequest{Id: "1"})
			return err
		},
		Deadline: 600 * time.Millisecond,
		Load:     0.7,
	})
}

const packers = 4

type stockroom struct {
	d    *saturate.Deps
	busy atomic.Int64
}

func (s *stockroom) Pack(string) bool {
	defer s.busy.Add(-1)
	return s.busy.Add(1) <= packers && s.d.Do(context.Background()) == nil
}
