package guard_test

import (
	"context"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	"google.golang.org/grpc"

	"github.com/ctxprop/ctxprop/runtime/guard"
	"github.com/ctxprop/ctxprop/runtime/internal/stub"
)

// providers are those that the cost is measured with: metrics that go nowhere,
// and the real SDK.
func providers() map[string]metric.MeterProvider {
	_, sdk := metrics()
	return map[string]metric.MeterProvider{"noop": noop.NewMeterProvider(), "sdk": sdk}
}

func handle(context.Context, any) (any, error) { return nil, nil }

func invoke(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error {
	return nil
}

// serverCall is a unary call through the server's interceptor, or past it.
func serverCall(t testing.TB, ctx context.Context, p metric.MeterProvider) (through, past func()) {
	s, err := guard.NewServer(guard.ServerOptions{MinRemaining: time.Millisecond, MaxActive: 100, MeterProvider: p})
	if err != nil {
		t.Fatal(err)
	}
	return func() { s.Unary(ctx, nil, doInfo, handle) }, func() { handle(ctx, nil) }
}

// clientCall is a unary call through the client's interceptor, and the
// WithTimeout that it needs by itself.
func clientCall(t testing.TB, ctx context.Context, p metric.MeterProvider) (through, timeout func()) {
	c, err := guard.NewClient(guard.ClientOptions{DefaultTimeout: time.Minute, Retry: guard.Retry{MaxAttempts: 3}, MeterProvider: p})
	if err != nil {
		t.Fatal(err)
	}
	return func() { c.Unary(ctx, stub.DoMethod, nil, nil, nil, invoke) }, func() {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		invoke(ctx, stub.DoMethod, nil, nil, nil)
		cancel()
	}
}

// At most two allocations a call, on top of what a WithTimeout takes.
func TestAllocations(t *testing.T) {
	ctx, cancel := within(time.Hour)
	defer cancel()
	for name, p := range providers() {
		through, past := serverCall(t, ctx, p)
		if n := testing.AllocsPerRun(1000, through) - testing.AllocsPerRun(1000, past); n > 2 {
			t.Errorf("%s: %v allocations a call at the server", name, n)
		}
		through, timeout := clientCall(t, ctx, p)
		if n := testing.AllocsPerRun(1000, through) - testing.AllocsPerRun(1000, timeout); n > 2 {
			t.Errorf("%s: %v allocations a call at the client beyond WithTimeout", name, n)
		}
	}
}

func BenchmarkServer(b *testing.B) {
	ctx, cancel := within(time.Hour)
	defer cancel()
	for name, p := range providers() {
		through, past := serverCall(b, ctx, p)
		bench(b, name+"/guard", through)
		bench(b, name+"/none", past)
	}
}

func BenchmarkClient(b *testing.B) {
	ctx, cancel := within(time.Hour)
	defer cancel()
	for name, p := range providers() {
		through, timeout := clientCall(b, ctx, p)
		bench(b, name+"/guard", through)
		bench(b, name+"/WithTimeout", timeout)
	}
}

func bench(b *testing.B, name string, f func()) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f()
		}
	})
}
