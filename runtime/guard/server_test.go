package guard_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ctxprop/ctxprop/runtime/guard"
	"github.com/ctxprop/ctxprop/runtime/internal/stub"
)

var doInfo = &grpc.UnaryServerInfo{FullMethod: stub.DoMethod}

// A stream is a server stream of which only the context is used.
type stream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s stream) Context() context.Context { return s.ctx }

// call makes a unary call and a stream through a server's interceptors; both
// must give the same code.
func call(t *testing.T, s *guard.Server, ctx context.Context, h func(context.Context) error) error {
	t.Helper()
	_, unary := s.Unary(ctx, nil, doInfo, func(ctx context.Context, _ any) (any, error) { return nil, h(ctx) })
	streamed := s.Stream(nil, stream{ctx: ctx}, &grpc.StreamServerInfo{FullMethod: stub.WatchMethod}, func(_ any, ss grpc.ServerStream) error { return h(ss.Context()) })
	if status.Code(unary) != status.Code(streamed) {
		t.Errorf("unary %v, stream %v", unary, streamed)
	}
	return unary
}

func within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}

func TestServerRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, provider := metrics()
		s := newServer(t, guard.ServerOptions{
			MinRemaining:    20 * time.Millisecond,
			MinRemainingFor: map[string]time.Duration{"/orders.Orders/Get": time.Second, "/orders.Orders/Ping": 0},
			MeterProvider:   provider,
		})
		reached := 0
		h := func(context.Context) error { reached++; return nil }

		cancelled, cancel := context.WithCancel(context.Background())
		cancel()
		late, cancel := within(-time.Second)
		defer cancel()
		short, cancel := within(19 * time.Millisecond)
		defer cancel()
		enough, cancel := within(20 * time.Millisecond)
		defer cancel()
		for _, tt := range []struct {
			name string
			ctx  context.Context
			code codes.Code
		}{
			{"caller cancelled", cancelled, codes.Canceled},
			{"deadline passed", late, codes.DeadlineExceeded},
			{"too short", short, codes.DeadlineExceeded},
			{"just enough", enough, codes.OK},
			{"no deadline", context.Background(), codes.OK},
		} {
			reached = 0
			err := call(t, s, tt.ctx, h)
			if status.Code(err) != tt.code || reached > 0 != (tt.code == codes.OK) {
				t.Errorf("%s: %v, the handler ran %d times", tt.name, err, reached)
			}
		}
		for method, want := range map[string]codes.Code{"/orders.Orders/Get": codes.DeadlineExceeded, "/orders.Orders/Ping": codes.OK} {
			ctx, cancel := within(10 * time.Millisecond)
			if method == "/orders.Orders/Get" {
				ctx, cancel = within(900 * time.Millisecond)
			}
			_, err := s.Unary(ctx, nil, &grpc.UnaryServerInfo{FullMethod: method}, func(context.Context, any) (any, error) { return nil, nil })
			if status.Code(err) != want {
				t.Errorf("%s: %v", method, err)
			}
			cancel()
		}
		m := collect(t, reader)
		if got := [...]float64{m.sum(guard.MetricRefused, "gone"), m.sum(guard.MetricRefused, "short")}; got != [...]float64{4, 3} {
			t.Errorf("refused %v", got)
		}
		if got := m.count(guard.MetricRemaining); got != 6 { // too short and just enough, twice each, and two by method
			t.Errorf("remaining time was measured %d times", got)
		}
	})
}

func TestServerAdmits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, provider := metrics()
		s := newServer(t, guard.ServerOptions{MaxActive: 2, MeterProvider: provider})
		release := make(chan struct{})
		for range 2 {
			go s.Unary(context.Background(), nil, doInfo, func(context.Context, any) (any, error) { <-release; return nil, nil })
		}
		synctest.Wait()
		if m := collect(t, reader); m.sum(guard.MetricActive, "") != 2 {
			t.Errorf("active: %v", m[guard.MetricActive])
		}
		ok := func(context.Context) error { return nil }
		if err := call(t, s, context.Background(), ok); status.Code(err) != codes.ResourceExhausted {
			t.Errorf("the third call: %v", err)
		}
		close(release)
		synctest.Wait()
		if err := call(t, s, context.Background(), ok); err != nil {
			t.Errorf("after the others have ended: %v", err)
		}
		m := collect(t, reader)
		if m.sum(guard.MetricActive, "") != 0 || m.sum(guard.MetricRefused, "full") != 2 {
			t.Errorf("active %v, refused %v", m[guard.MetricActive], m[guard.MetricRefused])
		}
	})
}

// A handler that panics frees its place; the panic is its server's affair.
func TestServerPanics(t *testing.T) {
	s := newServer(t, guard.ServerOptions{MaxActive: 1})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is swallowed")
			}
		}()
		s.Unary(context.Background(), nil, doInfo, func(context.Context, any) (any, error) { panic("lost my head") })
	}()
	if err := call(t, s, context.Background(), func(context.Context) error { return nil }); err != nil {
		t.Error(err)
	}
}

// Zombie time begins at the deadline, or within the resolution of an earlier
// cancellation.
func TestServerMeasuresZombies(t *testing.T) {
	for _, tt := range []struct {
		name       string
		cancelled  time.Duration // 0 is not
		works      time.Duration
		why        string
		least, max time.Duration
	}{
		{"in time", 0, 50 * time.Millisecond, "", 0, 0},
		{"after the deadline", 0, 250 * time.Millisecond, "deadline_exceeded", 150 * time.Millisecond, 150 * time.Millisecond},
		{"after a cancellation", 37 * time.Millisecond, 250 * time.Millisecond, "cancelled", 203 * time.Millisecond, 213 * time.Millisecond},
		{"cancelled and at once back", 37 * time.Millisecond, 37 * time.Millisecond, "cancelled", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reader, provider := metrics()
				s := newServer(t, guard.ServerOptions{MeterProvider: provider})
				ctx, cancel := within(100 * time.Millisecond)
				defer cancel()
				if tt.cancelled > 0 {
					time.AfterFunc(tt.cancelled, cancel)
				}
				s.Unary(ctx, nil, doInfo, func(context.Context, any) (any, error) {
					time.Sleep(tt.works)
					synctest.Wait() // whatever is due at this moment has happened
					return nil, nil
				})
				m := collect(t, reader)
				zombie := time.Duration(m.sum(guard.MetricZombie, "") * float64(time.Second)).Round(time.Microsecond)
				if zombie < tt.least || zombie > tt.max {
					t.Errorf("%v, want %v to %v", zombie, tt.least, tt.max)
				}
				if ended := m.sum(guard.MetricEnded, tt.why); ended > 0 != (tt.why != "") {
					t.Errorf("ended: %v", m[guard.MetricEnded])
				}
			})
		})
	}
}

// Callers cannot make a process remember any number of methods.
func TestMethodsAreBounded(t *testing.T) {
	reader, provider := metrics()
	s := newServer(t, guard.ServerOptions{MeterProvider: provider})
	ctx, cancel := within(time.Hour)
	defer cancel()
	for i := range 1500 {
		info := &grpc.UnaryServerInfo{FullMethod: "/many.Methods/" + string(rune('a'+i%26)) + time.Duration(i).String()}
		s.Unary(ctx, nil, info, func(context.Context, any) (any, error) { return nil, nil })
	}
	m := collect(t, reader)
	if n := len(m[guard.MetricRemaining]); n > 1001 || m.count(guard.MetricRemaining) != 1500 {
		t.Errorf("%d series for %d calls", n, m.count(guard.MetricRemaining))
	}
}
