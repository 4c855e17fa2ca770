// Package ctx306 asks the stock again when the stock has said that it has too
// much to do.
package ctx306

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
			"retryableStatusCodes": ["UNAVAILABLE", "RESOURCE_EXHAUSTED"]
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
