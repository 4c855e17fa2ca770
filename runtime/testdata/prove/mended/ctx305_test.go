package mended

import (
	"context"
	"testing"
	"time"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX305/after"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/CTX305/before"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

// Four of five replicas hang from some time on. Within 300 ms there is time
// for two attempts of 200 ms, the second cut short, and for five of 55 ms.
func TestCTX305(t *testing.T) {
	proven(t,
		func(d *saturate.Deps) orderspb.OrdersServer { return before.New(newReplicas(d)) },
		func(d *saturate.Deps) orderspb.OrdersServer { return after.New(newReplicas(d)) },
		func(sc *saturate.Scenario) {
			sc.Retry = saturate.Retry{MaxAttempts: 1}
			sc.Dependency = saturate.Dependency{ServiceTime: 10 * time.Millisecond}
			sc.Rate = 40
			sc.Trigger = saturate.Trigger{Factor: 1} // the load stays as it is
		})
}

type replicas struct {
	d    *saturate.Deps
	hang time.Time
}

func newReplicas(d *saturate.Deps) replicas { return replicas{d, time.Now().Add(3 * time.Second)} }

func (r replicas) Ask(ctx context.Context, replica int64) error {
	if replica%5 != 0 && time.Now().After(r.hang) {
		<-ctx.Done()
		return ctx.Err()
	}
	return r.d.Do(ctx)
}
