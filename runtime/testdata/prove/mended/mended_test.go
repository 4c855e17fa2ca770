// Package mended compares services that have a fault for which there is no fix
// with the same services mended by hand: CODE/before with CODE/after.
package mended

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/ctxprop/ctxprop/runtime/saturate"
	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

// build makes a service on what the scenario gives it.
type build func(d *saturate.Deps) orderspb.OrdersServer

// scenario is a caller who waits 300 ms for an answer.
func scenario(server build) saturate.Scenario {
	return saturate.Scenario{
		Register: func(s grpc.ServiceRegistrar, d *saturate.Deps) { orderspb.RegisterOrdersServer(s, server(d)) },
		Call: func(ctx context.Context, cc grpc.ClientConnInterface) error {
			_, err := orderspb.NewOrdersClient(cc).Get(ctx, &orderspb.GetRequest{Id: "1"})
			return err
		},
		Deadline: 300 * time.Millisecond,
	}
}

// compare runs a service before and after, each with what set changes.
func compare(t *testing.T, before, after build, set func(*saturate.Scenario)) saturate.Comparison {
	t.Helper()
	x, y := scenario(before), scenario(after)
	set(&x)
	set(&y)
	return saturate.Compare(t, x, y)
}

func proven(t *testing.T, before, after build, set func(*saturate.Scenario)) {
	t.Helper()
	if c := compare(t, before, after, set); c.Verdict != saturate.Proven {
		t.Errorf("%s: %s", c.Verdict, c.Why)
	}
}

func unchanged(*saturate.Scenario) {}

func blackout(sc *saturate.Scenario) {
	sc.Retry = saturate.Retry{MaxAttempts: 1}
	sc.Trigger = saturate.Trigger{Kind: saturate.Blackout}
}
