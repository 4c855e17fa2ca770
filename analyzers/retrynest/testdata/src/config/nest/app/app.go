// Package app tries again what its clients' configs try again.
package app

import (
	"context"
	"math/rand/v2"
	"time"

	"config/nest/link"
	"config/nest/stockpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

type Shop struct {
	stock  stockpb.StockClient
	orders stockpb.OrdersClient
	carts  stockpb.CartsClient
}

func New(n int) (*Shop, error) {
	stock, err := link.Stock()
	if err != nil {
		return nil, err
	}
	orders, err := link.Orders(n)
	if err != nil {
		return nil, err
	}
	carts, err := link.Carts()
	if err != nil {
		return nil, err
	}
	return &Shop{stockpb.NewStockClient(stock), stockpb.NewOrdersClient(orders), stockpb.NewCartsClient(carts)}, nil
}

func pause(ctx context.Context, n int) {
	gap := 100 * time.Millisecond << n
	select {
	case <-time.After(gap/2 + rand.N(gap/2)):
	case <-ctx.Done():
	}
}

func (s *Shop) Stock(ctx context.Context) (err error) {
	for n := range 5 {
		if _, err = s.stock.Get(ctx, &stockpb.Request{}); status.Code(err) != codes.Unavailable { // want `StockClient.Get can be called 5×2 = 10 times`
			return err
		}
		pause(ctx, n)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return err
}

func (s *Shop) Orders(ctx context.Context) (err error) {
	for n := range 5 {
		if _, err = s.orders.Get(ctx, &stockpb.Request{}); status.Code(err) != codes.Unavailable { // the limit is not known
			return err
		}
		pause(ctx, n)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return err
}

func (s *Shop) Carts(ctx context.Context) (err error) {
	for n := range 5 {
		if _, err = s.carts.Get(ctx, &stockpb.Request{}); status.Code(err) != codes.Unavailable { // want `CartsClient.Get can be called 5×4 = 20 times`
			return err
		}
		pause(ctx, n)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return err
}
