// Package after is mended by hand, for CTX107 has no fix: how
// long giving back may take is not for a tool to say.
package after

import (
	"context"
	"time"

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
		release, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = s.stock.Release(release, req.GetId())
		return nil, ctx.Err()
	}
	if released := s.stock.Release(ctx, req.GetId()); err == nil {
		err = released
	}
	return &orderspb.Order{Id: req.GetId()}, err
}
