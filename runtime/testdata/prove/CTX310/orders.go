// Package ctx310 turns retries off with an option that does not.
package ctx310

import (
	"context"

	"google.golang.org/grpc"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

const policy = `{
	"methodConfig": [{
		"name": [{"service": "orders.v1.Stock"}],
		"retryPolicy": {
			"maxAttempts": 4,
			"initialBackoff": "0.01s",
			"maxBackoff": "0.1s",
			"backoffMultiplier": 2,
			"retryableStatusCodes": ["UNAVAILABLE"]
		}
	}]
}`

type server struct {
	orderspb.UnimplementedOrdersServer
	stock orderspb.StockClient
}

// New dials the stock.
func New(dial func(...grpc.DialOption) grpc.ClientConnInterface) orderspb.OrdersServer {
	cc := dial(grpc.WithDefaultServiceConfig(policy), grpc.WithMaxCallAttempts(1))
	return &server{stock: orderspb.NewStockClient(cc)}
}

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	item, err := s.stock.Take(ctx, &orderspb.TakeRequest{Id: req.GetId()})
	if err != nil {
		return nil, err
	}
	return &orderspb.Order{Id: item.GetId()}, nil
}
