// Package ctx203 gives the stock a moment before it asks, whether or not the
// caller still waits.
package ctx203

import (
	"context"
	"time"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

type stock interface {
	// Reserve takes its time, and no context.
	//
	//ctxprop:expensive
	Reserve(order string) error
}

type server struct {
	orderspb.UnimplementedOrdersServer
	stock stock
}

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	time.Sleep(200 * time.Millisecond)
	if err := s.stock.Reserve(req.GetId()); err != nil {
		return nil, err
	}
	return &orderspb.Order{Id: req.GetId()}, nil
}
