// Package ctx307 means to ask another replica of the stock when one is away.
package ctx307

import (
	"context"

	"google.golang.org/grpc"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

const policy = `{
	"methodConfig": [{
		"name": [{"service": "orders.v1.Stock"}],
		"retry_policy": {
			"maxAttempts": 4,
			"initialBackoff": "0.01s",
			"maxBackoff": "0.01s",
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
	return &server{stock: orderspb.NewStockClient(dial(grpc.WithDefaultServiceConfig(policy)))}
}

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	item, err := s.stock.Take(ctx, &orderspb.TakeRequest{Id: req.GetId()})
	if err != nil {
		return nil, err
	}
	return &orderspb.Order{Id: item.GetId()}, nil
}
