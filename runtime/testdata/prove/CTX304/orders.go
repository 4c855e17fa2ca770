// Package ctx304 asks the stock ten times in a row when it fails.
package ctx304

import (
	"context"

	"google.golang.org/grpc"

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
	}
	return nil, err
}
