package guard_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/ctxprop/ctxprop/runtime/guard"
	"github.com/ctxprop/ctxprop/runtime/internal/stub"
	"github.com/ctxprop/ctxprop/runtime/saturate"
)

// The proofs: a service under load, without a part of guard and with it, and
// nothing else changed.

func serverOptions(t *testing.T, opts guard.ServerOptions) func() []grpc.ServerOption {
	return func() []grpc.ServerOption { return newServer(t, opts).Options() }
}

func newServer(t *testing.T, opts guard.ServerOptions) *guard.Server {
	s, err := guard.NewServer(opts)
	if err != nil {
		t.Error(err)
	}
	return s
}

func newClient(t *testing.T, opts guard.ClientOptions) *guard.Client {
	c, err := guard.NewClient(opts)
	if err != nil {
		t.Error(err)
	}
	return c
}

func register(build func(d *saturate.Deps) stub.Handler) func(grpc.ServiceRegistrar, *saturate.Deps) {
	return func(s grpc.ServiceRegistrar, d *saturate.Deps) { stub.Register(s, build(d)) }
}

// deaf works on whether its caller is there or not, as computation does.
func deaf(d *saturate.Deps) stub.Handler {
	return func(ctx context.Context) error { return d.Do(context.WithoutCancel(ctx)) }
}

func scenario(build func(d *saturate.Deps) stub.Handler) saturate.Scenario {
	return saturate.Scenario{Register: register(build), Call: stub.Do, Deadline: 300 * time.Millisecond}
}

func prove(t *testing.T, want saturate.Verdict, before, after saturate.Scenario) {
	t.Helper()
	if c := saturate.Compare(t, before, after); c.Verdict != want {
		t.Errorf("%s: %s", c.Verdict, c.Why)
	}
}

// queued is a service whose calls wait in a long queue that does not see when
// a caller leaves, so that workers get calls that are dead already.
func queued() saturate.Scenario {
	sc := scenario(deaf)
	sc.Workers, sc.Queue, sc.KeepGone = 8, 200, true
	sc.Dependency.Concurrency = 8
	return sc
}

// Refusing dead calls alone is not enough: the next in the queue are about to
// die, and a worker spends itself on each of them.
func TestRefuseGone(t *testing.T) {
	after := queued()
	after.ServerOptions = serverOptions(t, guard.ServerOptions{})
	prove(t, saturate.NotSufficient, queued(), after)
}

// Refusing those too that have less than a typical answer takes is.
func TestRefuseShort(t *testing.T) {
	after := queued()
	after.ServerOptions = serverOptions(t, guard.ServerOptions{MinRemaining: 50 * time.Millisecond})
	prove(t, saturate.Proven, queued(), after)
	streams(t, queued(), after)
}

// Admission of 28 on 32 workers: those at work finish within the deadline, and
// the queue in front of them never fills.
func TestAdmission(t *testing.T) {
	before := scenario(deaf)
	before.Dependency.Concurrency = 8
	after := before
	after.ServerOptions = serverOptions(t, guard.ServerOptions{MaxActive: 28})
	prove(t, saturate.Proven, before, after)
	streams(t, before, after)
}

// streams checks with one seed that it is the same for streams.
func streams(t *testing.T, before, after saturate.Scenario) {
	t.Helper()
	for _, sc := range []*saturate.Scenario{&before, &after} {
		sc.Call, sc.Seeds = stub.Watch, []uint64{1}
	}
	if tr := saturate.Run(t, before)[0]; tr.Recovered() {
		t.Errorf("streams recover by themselves: %+v", tr)
	}
	if tr := saturate.Run(t, after)[0]; !tr.Recovered() || tr.Post < 0.9 {
		t.Errorf("streams do not recover: %+v", tr)
	}
}

// calling is a handler that calls the dependency on the context that use makes
// of its own.
func calling(use func(context.Context) context.Context, dial func() []grpc.DialOption) func(d *saturate.Deps) stub.Handler {
	return func(d *saturate.Deps) stub.Handler {
		cc := d.Conn(dial()...)
		return func(ctx context.Context) error {
			return cc.Invoke(use(ctx), "/any.Service/Method", new(emptypb.Empty), new(emptypb.Empty))
		}
	}
}

func unguarded() []grpc.DialOption { return nil }

func guarded(t *testing.T, opts guard.ClientOptions) func() []grpc.DialOption {
	return func() []grpc.DialOption { return newClient(t, opts).Options() }
}

// A default timeout bounds what a handler that has lost its caller's deadline
// waits for.
func TestDefaultTimeout(t *testing.T) {
	lost := func(context.Context) context.Context { return context.Background() }
	prove(t, saturate.Proven,
		scenario(calling(lost, unguarded)),
		scenario(calling(lost, guarded(t, guard.ClientOptions{DefaultTimeout: 100 * time.Millisecond}))))
}

// It does for a stream where one is asked for: of streams in general nobody knows
// how long they should be open.
func TestDefaultTimeoutOfStreams(t *testing.T) {
	watching := func(opts guard.ClientOptions) saturate.Scenario {
		sc := scenario(func(d *saturate.Deps) stub.Handler {
			next := d.Next(guarded(t, opts)()...)
			return func(context.Context) error { return stub.Watch(context.Background(), next) }
		})
		sc.Hops = []saturate.Hop{{Name: "next", Workers: 1024, Register: register(func(d *saturate.Deps) stub.Handler { return d.Do })}}
		sc.Seeds = []uint64{1}
		return sc
	}
	without := saturate.Run(t, watching(guard.ClientOptions{DefaultTimeout: 100 * time.Millisecond}))[0]
	with := saturate.Run(t, watching(guard.ClientOptions{DefaultTimeoutFor: map[string]time.Duration{stub.WatchMethod: 100 * time.Millisecond}}))[0]
	if without.Recovered() || without.Zombie < 100 {
		t.Errorf("streams recover without a default of their own: %+v", without)
	}
	if !with.Recovered() || with.Zombie > 0 {
		t.Errorf("streams do not recover: %+v", with)
	}
}

// A share of the remaining time leaves the handler enough for its fallback
// while the dependency is slow. What counts is goodput during the brown-out;
// after it both are well.
func TestShare(t *testing.T) {
	answer := func(dial func() []grpc.DialOption) saturate.Scenario {
		sc := scenario(func(d *saturate.Deps) stub.Handler {
			call := calling(func(ctx context.Context) context.Context { return ctx }, dial)(d)
			return func(ctx context.Context) error {
				if call(ctx) == nil {
					return nil
				}
				fallback := time.NewTimer(20 * time.Millisecond)
				defer fallback.Stop()
				select {
				case <-fallback.C:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		})
		sc.Retry.MaxAttempts = 1
		sc.Rate = 20
		sc.Trigger = saturate.Trigger{Kind: saturate.Brownout, Factor: 40}
		return sc
	}
	before, after := saturate.Run(t, answer(unguarded)), saturate.Run(t, answer(guarded(t, guard.ClientOptions{})))
	for i := range before {
		if before[i].During > 0.2 || after[i].During < 0.95 {
			t.Errorf("seed %d: goodput in the brown-out %v without, %v with", before[i].Seed, before[i].During, after[i].During)
		}
	}
}

// again retries three times whatever comes, each time with a new deadline.
func again(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) (err error) {
	for range 3 {
		attempt, cancel := context.WithTimeout(context.WithoutCancel(ctx), 300*time.Millisecond)
		err = invoke(attempt, method, req, reply, cc, opts...)
		cancel()
		if err == nil {
			return nil
		}
	}
	return err
}

func naive() []grpc.DialOption { return []grpc.DialOption{grpc.WithChainUnaryInterceptor(again)} }

// Retries that respect the remaining time and leave shed calls alone do not
// keep the service down after the spike.
func TestRetryWithinDeadline(t *testing.T) {
	before := scenario(deaf)
	before.Retry.MaxAttempts = 1
	after := before
	before.DialOptions = naive
	after.DialOptions = guarded(t, guard.ClientOptions{Share: 1, Retry: guard.Retry{MaxAttempts: 3}})
	prove(t, saturate.Proven, before, after)
}

// deadChain is three services in a row before a dependency that goes down; each
// dials the next with the options.
func deadChain(dial func() []grpc.DialOption) saturate.Scenario {
	relay := register(func(d *saturate.Deps) stub.Handler {
		next := d.Next(dial()...)
		return func(ctx context.Context) error { return stub.Do(ctx, next) }
	})
	sc := scenario(nil)
	sc.Register = relay
	sc.Deadline = time.Minute
	sc.Retry.MaxAttempts = 1
	sc.Hops = []saturate.Hop{{Name: "B", Register: relay}, {Name: "C", Register: register(func(d *saturate.Deps) stub.Handler { return d.Do })}}
	sc.Trigger = saturate.Trigger{Kind: saturate.Blackout, For: 20 * time.Second}
	return sc
}

// With three attempts at each of two hops the bottom gets nine requests a call.
// Under a budget of 0.1 it gets little more than 1.21, however long the
// blackout lasts: the bursts that were saved up are spent once.
func TestBudget(t *testing.T) {
	after := deadChain(guarded(t, guard.ClientOptions{Share: 1, Retry: guard.Retry{MaxAttempts: 3}}))
	prove(t, saturate.Proven, deadChain(naive), after)
	for _, tr := range saturate.Run(t, after) {
		if tr.Amplification > 1.5 {
			t.Errorf("seed %d: %v requests at the bottom per call", tr.Seed, tr.Amplification)
		}
	}
}

// One switch turns the retries of every client off.
func TestSwitch(t *testing.T) {
	var off guard.Switch
	retry := func() []grpc.DialOption {
		return newClient(t, guard.ClientOptions{Share: 1, Retry: guard.Retry{MaxAttempts: 3, Budget: 1, Burst: 1000, Switch: &off}}).Options()
	}
	for _, want := range []float64{9, 1} {
		for _, tr := range saturate.Run(t, deadChain(retry)) {
			if tr.Amplification != want {
				t.Errorf("seed %d: %v requests at the bottom per call, want %v", tr.Seed, tr.Amplification, want)
			}
		}
		off.Off()
	}
}

// What the guard measures with the server's eyes is what the harness measures
// by the callers' clocks.
func TestZombieMetric(t *testing.T) {
	for name, call := range map[string]func(context.Context, grpc.ClientConnInterface) error{"unary": stub.Do, "stream": stub.Watch} {
		t.Run(name, func(t *testing.T) {
			reader, provider := metrics()
			sc := scenario(deaf)
			sc.Call = call
			sc.Seeds = []uint64{1}
			sc.ServerOptions = serverOptions(t, guard.ServerOptions{MeterProvider: provider})
			tr := saturate.Run(t, sc)[0]
			got := collect(t, reader).sum(guard.MetricZombie, "")
			if tr.Zombie < 100 || got < 0.95*tr.Zombie || got > 1.05*tr.Zombie {
				t.Errorf("%v zombie seconds, and the harness has %v", got, tr.Zombie)
			}
		})
	}
}
