// Package edge is the service in the middle.
package edge

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"patterns/pb"
)

const policy = `{"methodConfig": [{"name": [{"service": "shop.v1.Order"}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

const throttled = `{"methodConfig": [{"name": [{"service": "shop.v1.Order"}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}], "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}}`

type edge struct{ order, budget pb.OrderClient }

func New(s grpc.ServiceRegistrar) {
	order, _ := grpc.NewClient("order", grpc.WithDefaultServiceConfig(policy))
	budget, _ := grpc.NewClient("order", grpc.WithDefaultServiceConfig(throttled))
	pb.RegisterEdgeServer(s, &edge{pb.NewOrderClient(order), pb.NewOrderClient(budget)})
}

func (e *edge) Pass(ctx context.Context, in *pb.Msg) (*pb.Msg, error) {
	out, err := e.order.Pass(ctx, in)
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (e *edge) Wrap(ctx context.Context, in *pb.Msg) (*pb.Msg, error) {
	out, err := e.order.Wrap(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("order: %w", err)
	}
	return out, nil
}

func (e *edge) Map(ctx context.Context, in *pb.Msg) (*pb.Msg, error) {
	out, err := e.order.Map(ctx, in)
	if err != nil {
		return nil, status.Error(codes.FailedPrecondition, "order")
	}
	return out, nil
}

func (e *edge) Tell(ctx context.Context, in *pb.Msg) (*pb.Msg, error) {
	out, err := e.order.Tell(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("order: %v", err)
	}
	return out, nil
}

func (e *edge) Budget(ctx context.Context, in *pb.Msg) (*pb.Msg, error) {
	return e.budget.Pass(ctx, in)
}
