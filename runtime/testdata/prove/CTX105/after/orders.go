// Package after is mended by hand, for CTX105 has no fix: which
// work is to outlive its request is for its author to say.
package after

import (
	"context"
	"time"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

type Stock interface {
	// Take takes a place, which Release gives back.
	Take(ctx context.Context, order string) error
	Release(ctx context.Context, order string) error
	// Label takes a moment, whatever the load.
	Label(order string) string
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
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = s.stock.Release(ctx, req.GetId())
	}()
	return &orderspb.Order{Id: s.stock.Label(req.GetId())}, nil
}
