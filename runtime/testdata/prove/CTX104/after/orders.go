// Package after is mended by hand, for CTX104 has no fix.
package after

import (
	"context"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

type Stock interface {
	Do(ctx context.Context) error
}

type server struct {
	orderspb.UnimplementedOrdersServer
	ctx   context.Context
	stock Stock
}

func New(ctx context.Context, stock Stock) orderspb.OrdersServer {
	return &server{ctx: ctx, stock: stock}
}

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	if err := s.stock.Do(ctx); err != nil {
		return nil, err
	}
	return &orderspb.Order{Id: req.GetId()}, nil
}
