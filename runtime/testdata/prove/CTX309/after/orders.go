// Package after is mended by hand, for CTX309 has no fix: which
// layer is to retry is for its author to say.
package after

import (
	"context"
	"errors"
	"time"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

type Stock interface {
	Do(ctx context.Context) error
}

// permanent marks an error that another attempt will not mend.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

type server struct {
	orderspb.UnimplementedOrdersServer
	stock Stock
}

func New(stock Stock) orderspb.OrdersServer { return &server{stock: stock} }

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	err := retry(ctx, 3, func() error {
		err := s.stock.Do(ctx)
		if errors.Is(err, ErrNoSuchItem) {
			return permanent{err}
		}
		return err
	})
	return &orderspb.Order{Id: req.GetId()}, err
}

// ErrNoSuchItem: there is none, however often one asks.
var ErrNoSuchItem = errors.New("no such item")

func retry(ctx context.Context, attempts int, op func() error) (err error) {
	for attempt := range attempts {
		var p permanent
		if err = op(); err == nil || errors.As(err, &p) {
			return err
		}
		select {
		case <-time.After(5 * time.Millisecond << attempt):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}
