// Package after is mended by hand, for CTX305 has no fix: which
// of the numbers is wrong the code does not say.
package after

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

type Stock interface {
	// Ask asks one of the replicas.
	Ask(ctx context.Context, replica int64) error
}

type server struct {
	orderspb.UnimplementedOrdersServer
	stock Stock
	calls atomic.Int64
}

func New(stock Stock) orderspb.OrdersServer { return &server{stock: stock} }

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	first := s.calls.Add(1) // each call begins with another replica
	var err error
	for attempt := range int64(5) {
		each, stop := context.WithTimeout(ctx, 55*time.Millisecond)
		err = s.stock.Ask(each, first+attempt)
		stop()
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	return &orderspb.Order{Id: req.GetId()}, err
}
