// Package after is mended by hand, for the fix of CTX301 would have to choose
// the layer that retries.
package after

import (
	"context"
	"time"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

type Stock interface {
	Do(ctx context.Context) error
}

type server struct {
	orderspb.UnimplementedOrdersServer
	stock Stock
}

func New(stock Stock) orderspb.OrdersServer { return &server{stock: stock} }

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	var err error
	for attempt := range 3 {
		if err = s.find(ctx); err == nil {
			return &orderspb.Order{Id: req.GetId()}, nil
		}
		if waitErr := wait(ctx, attempt); waitErr != nil {
			return nil, waitErr
		}
	}
	return nil, err
}

func (s *server) find(ctx context.Context) error { return s.stock.Do(ctx) }

func wait(ctx context.Context, attempt int) error {
	select {
	case <-time.After(5 * time.Millisecond << attempt):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
