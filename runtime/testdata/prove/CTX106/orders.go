// Package ctx106 asks the stock on a context that another package makes.
package ctx106

import (
	"context"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX106/orderctx"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

type stock interface {
	Do(ctx context.Context) error
}

type server struct {
	orderspb.UnimplementedOrdersServer
	stock stock
}

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	if err := s.stock.Do(orderctx.With(ctx, req.GetId())); err != nil {
		return nil, err
	}
	return &orderspb.Order{Id: req.GetId()}, nil
}
