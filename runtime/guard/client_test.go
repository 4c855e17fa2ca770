package guard_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ctxprop/ctxprop/runtime/guard"
	"github.com/ctxprop/ctxprop/runtime/internal/stub"
)

// attempt is what a callee does with an attempt.
type attempt func(ctx context.Context) error

func (a attempt) invoke(ctx context.Context, _ string, _, _ any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
	return a(ctx)
}

// clientStream is a stream that ends when end is called.
type clientStream struct {
	grpc.ClientStream
	ctx context.Context
}

func (s clientStream) Context() context.Context { return s.ctx }

func TestClientTime(t *testing.T) {
	const none = -1
	opts := guard.ClientOptions{
		DefaultTimeout:    time.Second,
		DefaultTimeoutFor: map[string]time.Duration{"/orders.Orders/Report": time.Minute},
		ShareFor:          map[string]float64{"/orders.Orders/Report": 1},
	}
	for _, tt := range []struct {
		method        string
		remaining     time.Duration // of the caller; 0 is no deadline
		unary, stream time.Duration // that the callee gets
	}{
		{stub.DoMethod, 0, time.Second, none},
		{stub.DoMethod, 100 * time.Millisecond, 70 * time.Millisecond, 70 * time.Millisecond},
		{"/orders.Orders/Report", 0, time.Minute, time.Minute},
		{"/orders.Orders/Report", 100 * time.Millisecond, 100 * time.Millisecond, 100 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newClient(t, opts)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if tt.remaining > 0 {
				ctx, cancel = within(tt.remaining)
				defer cancel()
			}
			check := func(kind string, want time.Duration) func(context.Context) {
				return func(ctx context.Context) {
					got := time.Duration(none)
					if deadline, ok := ctx.Deadline(); ok {
						got = time.Until(deadline)
					}
					if got != want {
						t.Errorf("%s, %s with %v left: the callee gets %v, want %v", tt.method, kind, tt.remaining, got, want)
					}
				}
			}
			unary := check("unary", tt.unary)
			c.Unary(ctx, tt.method, nil, nil, nil, attempt(func(ctx context.Context) error { unary(ctx); return nil }).invoke)
			streamed := check("stream", tt.stream)
			c.Stream(ctx, nil, nil, tt.method, func(ctx context.Context, _ *grpc.StreamDesc, _ *grpc.ClientConn, _ string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
				streamed(ctx)
				return clientStream{ctx: ctx}, nil
			})
		})
	}
}

// A call whose time is over does not reach the callee.
func TestClientRefuses(t *testing.T) {
	c := newClient(t, guard.ClientOptions{})
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel := within(-time.Second)
	defer cancel()
	for ctx, want := range map[context.Context]codes.Code{cancelled: codes.Canceled, late: codes.DeadlineExceeded} {
		err := c.Unary(ctx, stub.DoMethod, nil, nil, nil, attempt(func(context.Context) error { t.Error("the callee is called"); return nil }).invoke)
		if status.Code(err) != want {
			t.Errorf("unary: %v, want %v", err, want)
		}
		_, err = c.Stream(ctx, nil, nil, stub.WatchMethod, func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, ...grpc.CallOption) (grpc.ClientStream, error) {
			t.Error("the callee is called")
			return nil, nil
		})
		if status.Code(err) != want {
			t.Errorf("stream: %v, want %v", err, want)
		}
	}
}

// The timer of a stream goes with the stream, and with one that does not open.
func TestClientStreamEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, guard.ClientOptions{Share: 1})
		ctx, cancel := within(time.Hour)
		defer cancel()
		var mine, inner context.Context
		end := func() {}
		_, err := c.Stream(ctx, nil, nil, stub.WatchMethod, func(ctx context.Context, _ *grpc.StreamDesc, _ *grpc.ClientConn, _ string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
			mine = ctx
			inner, end = context.WithCancel(ctx)
			return clientStream{ctx: inner}, nil
		})
		if err != nil || mine.Err() != nil {
			t.Fatal(err, mine.Err())
		}
		end()
		synctest.Wait()
		if mine.Err() == nil {
			t.Error("the timer outlives the stream")
		}
		c.Stream(ctx, nil, nil, stub.WatchMethod, func(ctx context.Context, _ *grpc.StreamDesc, _ *grpc.ClientConn, _ string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
			mine = ctx
			return nil, status.Error(codes.Unavailable, "down")
		})
		if mine.Err() == nil {
			t.Error("the timer outlives a stream that did not open")
		}
	})
}

func TestClientRetries(t *testing.T) {
	half := func() float64 { return 0.5 }
	var off guard.Switch
	off.Off()
	for _, tt := range []struct {
		name      string
		retry     guard.Retry
		remaining time.Duration
		answers   []codes.Code // the last is repeated
		attempts  int
		code      codes.Code
		why       string // the metric
		took      time.Duration
	}{
		{"comes back", guard.Retry{MaxAttempts: 3}, time.Second, []codes.Code{codes.Unavailable, codes.OK}, 2, codes.OK, "", 25 * time.Millisecond},
		{"stays down", guard.Retry{MaxAttempts: 3}, time.Second, []codes.Code{codes.Unavailable}, 3, codes.Unavailable, "", 75 * time.Millisecond},
		{"grows to a limit", guard.Retry{MaxAttempts: 4, MaxBackoff: 60 * time.Millisecond}, time.Second, []codes.Code{codes.Unavailable}, 4, codes.Unavailable, "", 85 * time.Millisecond},
		{"is not configured", guard.Retry{}, time.Second, []codes.Code{codes.Unavailable}, 1, codes.Unavailable, "", 0},
		{"was shed", guard.Retry{MaxAttempts: 3}, time.Second, []codes.Code{codes.ResourceExhausted}, 1, codes.ResourceExhausted, "", 0},
		{"is shed at the second", guard.Retry{MaxAttempts: 3}, time.Second, []codes.Code{codes.Unavailable, codes.ResourceExhausted}, 2, codes.ResourceExhausted, "", 25 * time.Millisecond},
		{"another code", guard.Retry{MaxAttempts: 3, Codes: []codes.Code{codes.Aborted}}, time.Second, []codes.Code{codes.Aborted, codes.Unavailable}, 2, codes.Unavailable, "", 25 * time.Millisecond},
		{"no time for the wait", guard.Retry{MaxAttempts: 3}, 25 * time.Millisecond, []codes.Code{codes.Unavailable}, 1, codes.Unavailable, "time", 0},
		{"time for one", guard.Retry{MaxAttempts: 3}, 75 * time.Millisecond, []codes.Code{codes.Unavailable}, 2, codes.Unavailable, "time", 25 * time.Millisecond},
		{"budget spent", guard.Retry{MaxAttempts: 3, Burst: 1}, time.Second, []codes.Code{codes.Unavailable}, 2, codes.Unavailable, "budget", 25 * time.Millisecond},
		{"switched off", guard.Retry{MaxAttempts: 3, Switch: &off}, time.Second, []codes.Code{codes.Unavailable}, 1, codes.Unavailable, "switch", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reader, provider := metrics()
				tt.retry.Rand = half
				c := newClient(t, guard.ClientOptions{Share: 1, Retry: tt.retry, MeterProvider: provider})
				ctx, cancel := within(tt.remaining)
				defer cancel()
				made := 0
				began := time.Now()
				err := c.Unary(ctx, stub.DoMethod, nil, nil, nil, attempt(func(context.Context) error {
					made++
					return status.Error(tt.answers[min(made, len(tt.answers))-1], "")
				}).invoke)
				if made != tt.attempts || status.Code(err) != tt.code || time.Since(began) != tt.took {
					t.Errorf("%d attempts, %v, %v; want %d, %v, %v", made, err, time.Since(began), tt.attempts, tt.code, tt.took)
				}
				m := collect(t, reader)
				if got := m.sum(guard.MetricAttempts, ""); got != float64(tt.attempts) {
					t.Errorf("the metric has %v attempts", got)
				}
				if got := m[guard.MetricNotRetried]; len(got) > 0 != (tt.why != "") || len(got) > 0 && got[0].why != tt.why {
					t.Errorf("not retried: %v, want %q", got, tt.why)
				}
			})
		})
	}
}

// A caller that leaves during the wait ends it.
func TestClientCancelledInBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, guard.ClientOptions{Retry: guard.Retry{MaxAttempts: 3, Rand: func() float64 { return 1 }}})
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(10*time.Millisecond, cancel)
		began := time.Now()
		made := 0
		err := c.Unary(ctx, stub.DoMethod, nil, nil, nil, attempt(func(context.Context) error { made++; return status.Error(codes.Unavailable, "down") }).invoke)
		if made != 1 || status.Code(err) != codes.Unavailable || time.Since(began) != 10*time.Millisecond {
			t.Errorf("%d attempts, %v, %v", made, err, time.Since(began))
		}
	})
}

// The budget is a share of the calls in the long run.
func TestBudgetRefills(t *testing.T) {
	c := newClient(t, guard.ClientOptions{Retry: guard.Retry{MaxAttempts: 2, Backoff: 1, MaxBackoff: 1}})
	made := 0
	down := attempt(func(context.Context) error { made++; return status.Error(codes.Unavailable, "down") })
	for range 1000 {
		c.Unary(context.Background(), stub.DoMethod, nil, nil, nil, down.invoke)
	}
	// 10 saved up and a tenth of 1000; the first deposit finds the purse full.
	if retries := made - 1000; retries < 109 || retries > 110 {
		t.Errorf("%d retries", retries)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for want, opts := range map[string]guard.ClientOptions{
		"Share is 1.5":                 {Share: 1.5},
		"Share is -1":                  {Share: -1},
		`ShareFor["/a.B/C"] is 0`:      {ShareFor: map[string]float64{"/a.B/C": 0}},
		`ShareFor has "a.B/C"`:         {ShareFor: map[string]float64{"a.B/C": 1}},
		"DefaultTimeout is negative":   {DefaultTimeout: -1},
		`DefaultTimeoutFor has "/C"`:   {DefaultTimeoutFor: map[string]time.Duration{"/C": 1}},
		"has RESOURCE_EXHAUSTED":       {Retry: guard.Retry{Codes: []codes.Code{codes.ResourceExhausted}}},
		"Codes has OK":                 {Retry: guard.Retry{Codes: []codes.Code{codes.OK}}},
		"MaxAttempts is -1":            {Retry: guard.Retry{MaxAttempts: -1}},
		"Budget is 2":                  {Retry: guard.Retry{Budget: 2}},
		"Burst is -1":                  {Retry: guard.Retry{Burst: -1}},
		"Backoff is 2s and MaxBackoff": {Retry: guard.Retry{Backoff: 2 * time.Second}},
	} {
		if _, err := guard.NewClient(opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	for want, opts := range map[string]guard.ServerOptions{
		"MaxActive is -1":              {MaxActive: -1},
		"MinRemaining is negative":     {MinRemaining: -1},
		`MinRemainingFor has "a.B/C"`:  {MinRemainingFor: map[string]time.Duration{"a.B/C": 1}},
		`MinRemainingFor["/a.B/C"] is`: {MinRemainingFor: map[string]time.Duration{"/a.B/C": -1}},
	} {
		if _, err := guard.NewServer(opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}
