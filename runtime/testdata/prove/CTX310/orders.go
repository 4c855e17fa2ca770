// Package ctx310 means to turn off the retries that the name service brings, by
// an option that does not.
package ctx310

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
	return &server{stock: orderspb.NewStockClient(dial(grpc.WithMaxCallAttempts(1)))}
}

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	item, err := s.stock.Take(ctx, &orderspb.TakeRequest{Id: req.GetId()})
	if err != nil {
		return nil, err
	}
	return &orderspb.Order{Id: item.GetId()}, nil
}
