// Package ctx102 notes the customer on a context that it does not derive.
package ctx102

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
	if err := s.stock.Do(withOrder(ctx, req.GetId())); err != nil {
		return nil, err
	}
	return &orderspb.Order{Id: req.GetId()}, nil
}

type orderKey struct{}

func withOrder(ctx context.Context, id string) context.Context {
	return context.WithValue(context.Background(), orderKey{}, id)
}
