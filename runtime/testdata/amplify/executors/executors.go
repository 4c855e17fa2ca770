// Package executors runs a retry helper inside itself.
package executors

import (
	"context"
	"time"

	"google.golang.org/grpc"

	"github.com/ctxprop/ctxprop/runtime/testdata/amplify/chainpb"
)

type Stock interface {
	Do(ctx context.Context) error
}

type a struct {
	chainpb.UnimplementedAServer
	stock Stock
}

func Register(s grpc.ServiceRegistrar, stock Stock) { chainpb.RegisterAServer(s, &a{stock: stock}) }

func retry(ctx context.Context, attempts int, op func(context.Context) error) (err error) {
	for n := range attempts {
		if err = op(ctx); err == nil {
			return nil
		}
		select {
		case <-time.After(time.Millisecond << n):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

func (s *a) Do(ctx context.Context, _ *chainpb.Request) (*chainpb.Reply, error) {
	return new(chainpb.Reply), retry(ctx, 3, s.find)
}

func (s *a) find(ctx context.Context) error { return retry(ctx, 4, s.stock.Do) }
