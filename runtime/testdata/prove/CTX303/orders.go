// Package ctx303 goes on asking the stock, and waiting, for a caller who has
// gone.
package ctx303

import (
	"context"
	"time"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

type stock interface {
	Do(ctx context.Context) error
}

type server struct {
	orderspb.UnimplementedOrdersServer
	stock stock
}

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	var err error
	for range 5 {
		if err = s.stock.Do(ctx); err == nil {
			return &orderspb.Order{Id: req.GetId()}, nil
		}
		time.Sleep(200 * time.Millisecond)
	}
	return nil, err
}
