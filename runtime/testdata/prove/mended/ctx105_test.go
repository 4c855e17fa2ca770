package mended

import (
	"context"
	"testing"
	"time"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX105/after"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX105/before"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

// While the stock is slow, giving a place back takes longer than the rest of the
// call. What is cut off then keeps its place.
func TestCTX105(t *testing.T) {
	proven(t,
		func(d *saturate.Deps) orderspb.OrdersServer { return before.New(storeroom{newPlaces(nil), d}) },
		func(d *saturate.Deps) orderspb.OrdersServer { return after.New(storeroom{newPlaces(nil), d}) },
		func(sc *saturate.Scenario) {
			sc.Dependency = saturate.Dependency{ServiceTime: 10 * time.Millisecond}
			sc.Rate = 30
			sc.Trigger = saturate.Trigger{Kind: saturate.Brownout, Factor: 10}
		})
}

type storeroom struct {
	*places
	d *saturate.Deps
}

func (s storeroom) Release(ctx context.Context, order string) error {
	if err := s.d.Do(ctx); err != nil {
		return err
	}
	return s.places.Release(ctx, order)
}

func (s storeroom) Label(order string) string {
	time.Sleep(50 * time.Millisecond)
	return order
}
