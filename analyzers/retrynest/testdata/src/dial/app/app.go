// Package app tries again what the options of its clients try again.
package app

import (
	"context"
	"time"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/retry"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"config/nest/stockpb"
	"dial/link"
)

type Shop struct {
	plain, counted, configured stockpb.StockClient
}

var global stockpb.StockClient

func New() (*Shop, error) {
	plain, err := link.Plain()
	if err != nil {
		return nil, err
	}
	counted, err := link.Counted()
	if err != nil {
		return nil, err
	}
	configured, err := link.Configured()
	if err != nil {
		return nil, err
	}
	global = stockpb.NewStockClient(plain)
	return &Shop{stockpb.NewStockClient(plain), stockpb.NewStockClient(counted), stockpb.NewStockClient(configured)}, nil
}

func again(ctx context.Context, call func() error) (err error) {
	for n := range 5 {
		if err = call(); status.Code(err) != codes.Unavailable {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond << n):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// The connection of a field is seen to come from a client with an interceptor.
func (s *Shop) Plain(ctx context.Context) error {
	return again(ctx, func() error {
		_, err := s.plain.Get(ctx, &stockpb.Request{}) // want `StockClient.Get can be called 5×3 = 15 times for one call of Shop.Plain: Shop.Plain tries 5 times through .*, again.Unary tries 3 times`
		return err
	})
}

// So is that of a package variable.
func Global(ctx context.Context) error {
	return again(ctx, func() error {
		_, err := global.Get(ctx, &stockpb.Request{}) // want `5×3 = 15 times`
		return err
	})
}

// And that of a local one, which is dialled with a policy of its own.
func Local(ctx context.Context) error {
	cc, err := link.Configured()
	if err != nil {
		return err
	}
	stock := stockpb.NewStockClient(cc)
	return again(ctx, func() error {
		_, err := stock.Get(ctx, &stockpb.Request{}) // want `5×4 = 20 times`
		return err
	})
}

// An option of the call sets what the interceptor does, or turns it off.
func (s *Shop) Counted(ctx context.Context) error {
	err := again(ctx, func() error {
		_, err := s.counted.Get(ctx, &stockpb.Request{}) // want `5×3 = 15 times`
		return err
	})
	if err != nil {
		return err
	}
	err = again(ctx, func() error {
		_, err := s.counted.Get(ctx, &stockpb.Request{}, retry.WithMax(4)) // want `5×4 = 20 times`
		return err
	})
	if err != nil {
		return err
	}
	return again(ctx, func() error {
		_, err := s.counted.Get(ctx, &stockpb.Request{}, retry.Disable())
		return err
	})
}

// What is not kept cannot be sent again.
func (s *Shop) Unbuffered(ctx context.Context) error {
	return again(ctx, func() error {
		_, err := s.configured.Get(ctx, &stockpb.Request{}, grpc.MaxRetryRPCBufferSize(0))
		return err
	})
}

func (s *Shop) Configured(ctx context.Context) error {
	return again(ctx, func() error {
		_, err := s.configured.Get(ctx, &stockpb.Request{}) // want `5×4 = 20 times`
		return err
	})
}
