// Package order is the innermost service, which asks another one.
package order

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"patterns/pb"
)

const policy = `{"methodConfig": [{"name": [{"service": "shop.v1.Stock"}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

type order struct{ stock pb.StockClient }

func New(s grpc.ServiceRegistrar) {
	stock, _ := grpc.NewClient("stock", grpc.WithDefaultServiceConfig(policy))
	pb.RegisterOrderServer(s, &order{pb.NewStockClient(stock)})
}

func (o *order) Pass(ctx context.Context, in *pb.Msg) (*pb.Msg, error) {
	out, err := o.stock.Get(ctx, in)
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (o *order) Wrap(ctx context.Context, in *pb.Msg) (*pb.Msg, error) {
	out, err := o.stock.Get(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("stock: %w", err)
	}
	return out, nil
}

func (o *order) Map(ctx context.Context, in *pb.Msg) (*pb.Msg, error) {
	if _, err := o.stock.Get(ctx, in); err != nil {
		return nil, status.Error(codes.FailedPrecondition, "stock")
	}
	return in, nil
}

func (o *order) Tell(ctx context.Context, in *pb.Msg) (*pb.Msg, error) {
	if _, err := o.stock.Get(ctx, in); err != nil {
		return nil, fmt.Errorf("stock: %v", err)
	}
	return in, nil
}
