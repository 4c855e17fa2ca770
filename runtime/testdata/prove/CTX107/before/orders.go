// Package before gives a place in the stock back on the context that has just
// ended, so that the place stays taken.
package before

import (
	"context"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

type Stock interface {
	// Take takes a place, which Release gives back.
	Take(ctx context.Context, order string) error
	Pack(ctx context.Context, order string) error
	Release(ctx context.Context, order string) error
}

type server struct {
	orderspb.UnimplementedOrdersServer
	stock Stock
}

func New(stock Stock) orderspb.OrdersServer { return &server{stock: stock} }

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	if err := s.stock.Take(ctx, req.GetId()); err != nil {
		return nil, err
	}
	err := s.stock.Pack(ctx, req.GetId())
	if ctx.Err() != nil {
		_ = s.stock.Release(ctx, req.GetId())
		return nil, ctx.Err()
	}
	if released := s.stock.Release(ctx, req.GetId()); err == nil {
		err = released
	}
	return &orderspb.Order{Id: req.GetId()}, err
}
