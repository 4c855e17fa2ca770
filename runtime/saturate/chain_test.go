package saturate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ctxprop/ctxprop/runtime/internal/stub"
	"github.com/ctxprop/ctxprop/runtime/saturate"
)

// policy is a service config that retries what is unavailable.
func policy(attempts int, more string) grpc.DialOption {
	return grpc.WithDefaultServiceConfig(fmt.Sprintf(`{%s"methodConfig": [{"name": [{}], "retryPolicy": {
		"maxAttempts": %d, "initialBackoff": "0.001s", "maxBackoff": "0.01s", "backoffMultiplier": 2,
		"retryableStatusCodes": ["UNAVAILABLE"]}}]}`, more, attempts))
}

func dialling(opts ...grpc.DialOption) func() []grpc.DialOption {
	return func() []grpc.DialOption { return opts }
}

func passOn(err error) error { return err }

// chain is four services, A to D. Each but the last calls the next with the
// dial options; D calls the dependency, which is dead. pass is what a service does
// with the error of the next.
func chain(dial func() []grpc.DialOption, pass func(error) error) saturate.Scenario {
	relay := register(func(d *saturate.Deps) handler {
		next := d.Next(dial()...)
		return func(ctx context.Context) error {
			if err := stub.Do(ctx, next); err != nil {
				return pass(err)
			}
			return nil
		}
	})
	leaf := register(func(d *saturate.Deps) handler { return d.Do })
	return saturate.Scenario{
		Register: relay, Call: stub.Do, Deadline: time.Minute,
		Retry:   saturate.Retry{MaxAttempts: 1},
		Hops:    []saturate.Hop{{Name: "B", Register: relay}, {Name: "C", Register: relay}, {Name: "D", Register: leaf}},
		Trigger: saturate.Trigger{Kind: saturate.Blackout},
		Seeds:   []uint64{1, 2},
		Rate:    2,
	}
}

// The handler calls of B, C and D for one call of A, in a real chain. The
// first three rows are what retries multiply to; in the last two C's policy
// works, and what A and B get is an error that theirs do not list.
func TestChain(t *testing.T) {
	for _, tt := range []struct {
		name     string
		attempts int
		pass     func(error) error
		want     [3]int // B, C, D
	}{
		{"three attempts", 3, passOn, [3]int{3, 9, 27}},
		{"five attempts", 5, passOn, [3]int{5, 25, 125}},
		{"wrapped", 3, func(err error) error { return fmt.Errorf("next: %w", err) }, [3]int{3, 9, 27}},
		{"opaque", 3, func(err error) error { return errors.New(err.Error()) }, [3]int{1, 1, 3}},
		{"remapped", 3, func(err error) error { return status.Error(codes.FailedPrecondition, err.Error()) }, [3]int{1, 1, 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, tr := range saturate.Run(t, chain(dialling(policy(tt.attempts, "")), tt.pass)) {
				if tr.Calls == 0 || tr.Shed > 0 || tr.Base != 1 {
					t.Fatalf("not a clean blackout: %+v", tr)
				}
				for i, want := range tt.want {
					if got := tr.Services[i+1].Handled; got != want*tr.Calls {
						t.Errorf("seed %d: %s handled %d calls for %d of A, want %d each", tr.Seed, tr.Services[i+1].Name, got, tr.Calls, want)
					}
				}
				if tr.Services[0].Handled != tr.Calls || tr.Amplification != float64(tt.want[2]) {
					t.Errorf("seed %d: amplification %v", tr.Seed, tr.Amplification)
				}
			}
		})
	}
}

// A budget on every connection: tokens 10, a retryable failure costs one, and a
// retry needs more than half. So a connection that only fails retries four
// times in all. The first calls of A cost more, every further one goes through
// once: over n calls B, C and D handle n+3, n+6 and n+9.
func TestChainThrottled(t *testing.T) {
	sc := chain(dialling(policy(3, `"retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1},`)), passOn)
	sc.Rate = 10
	for _, tr := range saturate.Run(t, sc) {
		if tr.Calls < 2 {
			t.Fatalf("too few calls: %+v", tr)
		}
		for i, more := range []int{3, 6, 9} {
			if got := tr.Services[i+1].Handled; got != tr.Calls+more {
				t.Errorf("seed %d: %s handled %d calls for %d of A, want %d", tr.Seed, tr.Services[i+1].Name, got, tr.Calls, tr.Calls+more)
			}
		}
	}
}

// A deadline bounds the product: where each failure takes 50 ms, 300 ms hold
// six attempts at D, in two at C.
func TestChainWithinDeadline(t *testing.T) {
	sc := chain(dialling(policy(3, "")), passOn)
	sc.Deadline = 300 * time.Millisecond
	sc.Hops[2].Register = register(func(d *saturate.Deps) handler {
		return func(ctx context.Context) error {
			err := d.Do(ctx)
			if err != nil {
				time.Sleep(50 * time.Millisecond)
			}
			return err
		}
	})
	sc.Dependency.ServiceTime = time.Millisecond
	sc.Rate = 2
	for _, tr := range saturate.Run(t, sc) {
		for i, want := range []int{1, 2, 6} {
			if got := tr.Services[i+1].Handled; got != want*tr.Calls {
				t.Errorf("seed %d: %s handled %d calls for %d of A, want %d each", tr.Seed, tr.Services[i+1].Name, got, tr.Calls, want)
			}
		}
	}
}

// An interceptor wraps the whole call, so its retries multiply with those of
// the service config on the same connection.
func TestInterceptorOverServiceConfig(t *testing.T) {
	thrice := grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) (err error) {
		for range 3 {
			if err = invoke(ctx, method, req, reply, cc, opts...); status.Code(err) != codes.Unavailable {
				return err
			}
		}
		return err
	})
	sc := chain(dialling(thrice, policy(3, "")), passOn)
	sc.Hops = sc.Hops[2:]
	for _, tr := range saturate.Run(t, sc) {
		if got := tr.Services[1].Handled; got != 9*tr.Calls || tr.Amplification != 9 {
			t.Errorf("seed %d: %d handler calls for %d calls, want 9 each", tr.Seed, got, tr.Calls)
		}
	}
}

// The functions that dial the next service, and no others, are in the
// description, for what the options of a connection are worth.
func TestDialers(t *testing.T) {
	sc := chain(dialling(), passOn)
	relay := sc.Register
	sc.Register = func(s grpc.ServiceRegistrar, d *saturate.Deps) { wire(s, d, relay) }
	d := saturate.RunDescribed(t, sc)
	const here = "github.com/ctxprop/ctxprop/runtime/saturate_test."
	for _, name := range []string{"wire", "TestDialers", "chain"} {
		if !slices.Contains(d.Dialers, here+name) {
			t.Errorf("%s is not among the dialers %q", name, d.Dialers)
		}
	}
	if slices.ContainsFunc(d.Dialers, func(name string) bool { return strings.Contains(name, "Service") || strings.Contains(name, "passOn") }) {
		t.Errorf("dialers %q", d.Dialers)
	}
}

func wire(s grpc.ServiceRegistrar, d *saturate.Deps, register func(grpc.ServiceRegistrar, *saturate.Deps)) {
	register(s, d)
}
