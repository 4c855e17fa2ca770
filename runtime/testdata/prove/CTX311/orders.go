// Package ctx311 asks the stock again and again at the same intervals.
package ctx311

import (
	"context"
	"google.golang.org/grpc"
	"time"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

type server struct {
	orderspb.UnimplementedOrdersServer
	stock orderspb.StockClient
}

// New dials the stock.
func New(dial func(...grpc.DialOption) grpc.ClientConnInterface) orderspb.OrdersServer {
	return &server{stock: orderspb.NewStockClient(dial())}
}

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	var err error
	for range 10 {
		var item *orderspb.Item
		if item, err = s.stock.Take(ctx, &orderspb.TakeRequest{Id: req.GetId()}); err == nil {
			return &orderspb.Order{Id: item.GetId()}, nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, err
}
