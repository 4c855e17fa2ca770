// Package after is mended by hand, for CTX205 has no fix.
package after

import (
	"context"

	"google.golang.org/grpc/status"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

type Stock interface {
	Name(ctx context.Context, order string) (string, error)
	// Pack takes its time, and no context.
	//
	//ctxprop:expensive
	Pack(order, name string) error
}

type server struct {
	orderspb.UnimplementedOrdersServer
	stock Stock
}

func New(stock Stock) orderspb.OrdersServer { return &server{stock: stock} }

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	name, _ := s.stock.Name(ctx, req.GetId())
	if err := ctx.Err(); err != nil {
		return nil, status.FromContextError(err).Err()
	}
	if err := s.stock.Pack(req.GetId(), name); err != nil {
		return nil, err
	}
	return &orderspb.Order{Id: req.GetId()}, nil
}
