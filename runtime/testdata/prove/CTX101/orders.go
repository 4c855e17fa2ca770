// Package ctx101 asks the stock on a context of its own.
package ctx101

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
	if err := s.stock.Do(context.Background()); err != nil {
		return nil, err
	}
	return &orderspb.Order{Id: req.GetId()}, nil
}
