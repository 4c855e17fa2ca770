// Package ctx204 tries to have an order packed over and over, whether or not the
// caller still waits.
package ctx204

import (
	"context"
	"time"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

type stock interface {
	// Pack packs an order, unless all are busy packing others.
	Pack(order string) bool
}

type server struct {
	orderspb.UnimplementedOrdersServer
	stock stock
}

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	id := req.GetId()
	if err := s.pack(ctx, id); err != nil {
		return nil, err
	}
	return &orderspb.Order{Id: id}, nil
}

func (s *server) pack(ctx context.Context, id string) error {
	for !s.stock.Pack(id) {
		time.Sleep(150 * time.Millisecond)
	}
	return nil
}
