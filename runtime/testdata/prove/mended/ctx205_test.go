package mended

import (
	"context"
	"testing"
	"time"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX205/after"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX205/before"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

func TestCTX205(t *testing.T) {
	c := compare(t,
		func(d *saturate.Deps) orderspb.OrdersServer { return before.New(naming{d}) },
		func(d *saturate.Deps) orderspb.OrdersServer { return after.New(naming{d}) },
		func(sc *saturate.Scenario) {
			// First in, first out would serve those who are next to give up.
			sc.Dependency = saturate.Dependency{ServiceTime: 25 * time.Millisecond, Order: saturate.LIFO}
			sc.Load = 0.6
			sc.Capacity = 80 // orders in two steps
			sc.Expect = saturate.Expect{
				Verdict: saturate.NotSufficient,
				Reason:  "whoever has waited for the name is there at the check, and may be gone when the order is packed; at this load not every seed recovers, though all are better off",
			}
		})
	if !c.Met || c.CliffsDelta != 1 {
		t.Errorf("%s: %s", c.Verdict, c.Why)
	}
}

type naming struct{ d *saturate.Deps }

func (s naming) Name(ctx context.Context, _ string) (string, error) { return "", s.d.Do(ctx) }

func (s naming) Pack(string, string) error { return s.d.Do(context.Background()) }
