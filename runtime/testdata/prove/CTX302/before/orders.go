// Package before asks the stock until it answers, for whomever.
package before

import (
	"context"
	"time"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

type Stock interface {
	Do(ctx context.Context) error
}

type server struct {
	orderspb.UnimplementedOrdersServer
	stock Stock
}

func New(stock Stock) orderspb.OrdersServer { return &server{stock: stock} }

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	for {
		if err := s.stock.Do(ctx); err == nil {
			return &orderspb.Order{Id: req.GetId()}, nil
		}
		time.Sleep(200 * time.Millisecond)
	}
}
