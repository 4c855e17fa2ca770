package mended

import (
	"context"
	"testing"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX309/after"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX309/before"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

// In the blackout the stock has nothing, and says so.
func TestCTX309(t *testing.T) {
	c := compare(t,
		func(d *saturate.Deps) orderspb.OrdersServer { return before.New(lacking{d, before.ErrNoSuchItem}) },
		func(d *saturate.Deps) orderspb.OrdersServer { return after.New(lacking{d, after.ErrNoSuchItem}) },
		blackout)
	if c.Verdict != saturate.Proven || c.Before.Median != 3 || c.After.Median != 1 {
		t.Errorf("%s: %s", c.Verdict, c.Why)
	}
}

type lacking struct {
	d   *saturate.Deps
	err error
}

func (s lacking) Do(ctx context.Context) error {
	if s.d.Do(ctx) != nil {
		return s.err
	}
	return nil
}
