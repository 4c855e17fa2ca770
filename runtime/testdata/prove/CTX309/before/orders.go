// Package before retries in two layers, the inner of which takes the mark off an
// error that is not to be retried.
package before

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
		return s.take(ctx)
	})
	return &orderspb.Order{Id: req.GetId()}, err
}

// take asks again unless there is no use.
func (s *server) take(ctx context.Context) error {
	return retry(ctx, 2, func() error {
		err := s.stock.Do(ctx)
		if errors.Is(err, ErrNoSuchItem) {
			return permanent{err}
		}
		return err
	})
}

// ErrNoSuchItem: there is none, however often one asks.
var ErrNoSuchItem = errors.New("no such item")

func retry(ctx context.Context, attempts int, op func() error) (err error) {
	for attempt := range attempts {
		var p permanent
		if err = op(); err == nil {
			return nil
		}
		if errors.As(err, &p) {
			return p.error
		}
		select {
		case <-time.After(5 * time.Millisecond << attempt):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}
