// Package after is mended by hand, for CTX201 has no fix.
package after

import (
	"context"

	"google.golang.org/grpc/status"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

type Stock interface {
	// Pack takes its time, and no context.
	//
	//ctxprop:expensive
	Pack(order string, item int) error
}

type server struct {
	orderspb.UnimplementedOrdersServer
	stock Stock
}

func New(stock Stock) orderspb.OrdersServer { return &server{stock: stock} }

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	for item := range 5 {
		if err := ctx.Err(); err != nil {
			return nil, status.FromContextError(err).Err()
		}
		if err := s.stock.Pack(req.GetId(), item); err != nil {
			return nil, err
		}
	}
	return &orderspb.Order{Id: req.GetId()}, nil
}
