// Package front is the outermost of three services.
package front

import (
	"context"
	"net/http"

	"google.golang.org/grpc"

	"patterns/pb"
)

const policy = `{"methodConfig": [{"name": [{"service": "shop.v1.Edge"}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

const throttled = `{"methodConfig": [{"name": [{"service": "shop.v1.Edge"}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}], "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}}`

type front struct{ edge, budget pb.EdgeClient }

func New() *front {
	edge, _ := grpc.NewClient("edge", grpc.WithDefaultServiceConfig(policy))
	budget, _ := grpc.NewClient("edge", grpc.WithDefaultServiceConfig(throttled))
	return &front{pb.NewEdgeClient(edge), pb.NewEdgeClient(budget)}
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	f.passes(ctx)
	f.wraps(ctx)
	f.maps(ctx)
	f.tells(ctx)
	f.throttled(ctx)
}

func (f *front) passes(ctx context.Context) { f.edge.Pass(ctx, &pb.Msg{}) }
func (f *front) wraps(ctx context.Context)  { f.edge.Wrap(ctx, &pb.Msg{}) }
func (f *front) maps(ctx context.Context)   { f.edge.Map(ctx, &pb.Msg{}) }
func (f *front) tells(ctx context.Context)  { f.edge.Tell(ctx, &pb.Msg{}) }

func (f *front) throttled(ctx context.Context) { f.budget.Budget(ctx, &pb.Msg{}) }
