// Package before asks the stock on the context that the server was made with.
package before

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
	if err := s.stock.Do(s.ctx); err != nil {
		return nil, err
	}
	return &orderspb.Order{Id: req.GetId()}, nil
}
