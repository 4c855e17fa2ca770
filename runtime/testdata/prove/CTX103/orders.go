// Package ctx103 lets the stock know of each order, on a context that nothing
// ends.
package ctx103

import (
	"context"

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
	go func() { _ = s.stock.Do(context.WithoutCancel(ctx)) }()
	if err := s.stock.Do(ctx); err != nil {
		return nil, err
	}
	return &orderspb.Order{Id: req.GetId()}, nil
}
