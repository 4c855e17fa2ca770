// Package loop has three loops, each round what the next one does.
package loop

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

func (s *a) Do(ctx context.Context, _ *chainpb.Request) (*chainpb.Reply, error) {
	var err error
	for n := range 2 {
		if err = s.find(ctx); err == nil {
			break
		}
		wait(ctx, n)
	}
	return new(chainpb.Reply), err
}

func (s *a) find(ctx context.Context) (err error) {
	for n := 0; n < 3; n++ {
		if err = s.ask(ctx); err == nil {
			return nil
		}
		wait(ctx, n)
	}
	return err
}

func (s *a) ask(ctx context.Context) error {
	var err error
	for n := 1; ; n++ {
		if err = s.stock.Do(ctx); err == nil || n == 4 {
			return err
		}
		wait(ctx, n)
	}
}

func wait(ctx context.Context, n int) {
	select {
	case <-time.After(time.Millisecond << n):
	case <-ctx.Done():
	}
}
