package saturate_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/ctxprop/ctxprop/runtime/internal/stub"
	"github.com/ctxprop/ctxprop/runtime/saturate"
)

type handler = stub.Handler

// register returns a Register for the stub service.
func register(build func(d *saturate.Deps) handler) func(grpc.ServiceRegistrar, *saturate.Deps) {
	return func(s grpc.ServiceRegistrar, d *saturate.Deps) { stub.Register(s, build(d)) }
}

func scenario(build func(d *saturate.Deps) handler) saturate.Scenario {
	return saturate.Scenario{Register: register(build), Call: stub.Do, Deadline: 300 * time.Millisecond}
}

// keep and lose are what a handler does with its caller's context.
func keep(ctx context.Context) context.Context { return ctx }
func lose(context.Context) context.Context     { return context.Background() }

// onConn is a handler that makes one gRPC call to the dependency.
func onConn(use func(context.Context) context.Context) func(*saturate.Deps) handler {
	return func(d *saturate.Deps) handler {
		cc := d.Conn()
		return func(ctx context.Context) error {
			return cc.Invoke(use(ctx), "/any.Service/Method", new(emptypb.Empty), new(emptypb.Empty))
		}
	}
}

// adapters are the ways to the dependency, each with the context that it is
// given.
var adapters = map[string]func(use func(context.Context) context.Context) func(*saturate.Deps) handler{
	"conn": onConn,
	"query": func(use func(context.Context) context.Context) func(*saturate.Deps) handler {
		return func(d *saturate.Deps) handler {
			db := d.DB()
			return func(ctx context.Context) error {
				var n int
				return db.QueryRowContext(use(ctx), "SELECT n FROM t").Scan(&n)
			}
		}
	},
	"prepared": func(use func(context.Context) context.Context) func(*saturate.Deps) handler {
		return func(d *saturate.Deps) handler {
			stmt, err := d.DB().Prepare("INSERT INTO t VALUES (?)")
			if err != nil {
				panic(err)
			}
			return func(ctx context.Context) error {
				_, err := stmt.ExecContext(use(ctx), 7)
				return err
			}
		}
	},
	"transaction": func(use func(context.Context) context.Context) func(*saturate.Deps) handler {
		return func(d *saturate.Deps) handler {
			db := d.DB()
			return func(ctx context.Context) error {
				ctx = use(ctx)
				tx, err := db.BeginTx(ctx, nil)
				if err != nil {
					return err
				}
				defer tx.Rollback()
				if _, err := tx.ExecContext(ctx, "UPDATE t SET n = ?", 7); err != nil {
					return err
				}
				return tx.Commit()
			}
		}
	},
	"http": func(use func(context.Context) context.Context) func(*saturate.Deps) handler {
		return func(d *saturate.Deps) handler {
			client := &http.Client{Transport: d.Transport()}
			return func(ctx context.Context) error {
				req, err := http.NewRequestWithContext(use(ctx), "GET", "http://dependency/", nil)
				if err != nil {
					return err
				}
				res, err := client.Do(req)
				if err != nil {
					return err
				}
				return res.Body.Close()
			}
		}
	},
	"acquire": func(use func(context.Context) context.Context) func(*saturate.Deps) handler {
		return func(d *saturate.Deps) handler {
			return func(ctx context.Context) error {
				ctx = use(ctx)
				release, err := d.Acquire(ctx)
				if err != nil {
					return err
				}
				defer release()
				work := time.NewTimer(d.Lognormal(50*time.Millisecond, 0.5))
				defer work.Stop()
				select {
				case <-work.C:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
	},
	"do": func(use func(context.Context) context.Context) func(*saturate.Deps) handler {
		return func(d *saturate.Deps) handler {
			return func(ctx context.Context) error { return d.Do(use(ctx)) }
		}
	},
}

// Whatever the way to the dependency, a service that loses its callers'
// deadlines stays down after the spike, and one that keeps them comes back.
// One seed each: what is tested here is the adapter.
func TestAdapters(t *testing.T) {
	for name, adapter := range adapters {
		t.Run(name, func(t *testing.T) {
			before, after := scenario(adapter(lose)), scenario(adapter(keep))
			before.Seeds, after.Seeds = []uint64{1}, []uint64{1}
			b, a := saturate.Run(t, before)[0], saturate.Run(t, after)[0]
			if b.Recovered() || b.Post > 0.2 || b.Base < 0.95 || b.Detached != 1 || b.Waste < 0.7 {
				t.Errorf("with lost deadlines: %+v", b)
			}
			if !a.Recovered() || a.Post < 0.8 || a.Base < 0.95 || a.Detached != 0 || a.Zombie != 0 {
				t.Errorf("with deadlines: %+v", a)
			}
		})
	}
}

func TestStream(t *testing.T) {
	before, after := scenario(onConn(lose)), scenario(onConn(keep))
	before.Call, after.Call = stub.Watch, stub.Watch
	before.Seeds, after.Seeds = []uint64{1}, []uint64{1}
	b, a := saturate.Run(t, before)[0], saturate.Run(t, after)[0]
	if b.Recovered() || b.Zombie < 100 || b.Peak != 32 {
		t.Errorf("with lost deadlines: %+v", b)
	}
	if !a.Recovered() || a.Zombie != 0 {
		t.Errorf("with deadlines: %+v", a)
	}
}

// A handler that returns in time and leaves its work behind looks healthy by
// its workers. The dependency shows the fault.
func TestDetachedWork(t *testing.T) {
	detach := func(derive func(context.Context) context.Context) func(*saturate.Deps) handler {
		return func(d *saturate.Deps) handler {
			return func(ctx context.Context) error {
				done := make(chan error, 1)
				go func() { done <- d.Do(derive(ctx)) }()
				select {
				case err := <-done:
					return err
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
	}
	before, after := scenario(detach(context.WithoutCancel)), scenario(detach(keep))
	before.Seeds, after.Seeds = []uint64{1}, []uint64{1}
	b, a := saturate.Run(t, before)[0], saturate.Run(t, after)[0]
	if b.Recovered() || b.Zombie != 0 || b.DepZombie < 10 || b.Detached != 1 {
		t.Errorf("detached: %+v", b)
	}
	if !a.Recovered() || a.DepZombie != 0 {
		t.Errorf("attached: %+v", a)
	}
}

// A deadline that is longer than the caller's is as bad as none.
func TestLongerDeadline(t *testing.T) {
	sc := scenario(func(d *saturate.Deps) handler {
		return func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			return d.Do(ctx)
		}
	})
	sc.Seeds = []uint64{1}
	if tr := saturate.Run(t, sc)[0]; tr.Recovered() || tr.Detached != 1 {
		t.Errorf("%+v", tr)
	}
}

// A brown-out of the dependency tips the service as well.
func TestBrownout(t *testing.T) {
	before, after := scenario(onConn(lose)), scenario(onConn(keep))
	for _, sc := range []*saturate.Scenario{&before, &after} {
		sc.Seeds = []uint64{1}
		sc.Trigger = saturate.Trigger{Kind: saturate.Brownout, Factor: 10}
	}
	if tr := saturate.Run(t, before)[0]; tr.Recovered() {
		t.Errorf("with lost deadlines: %+v", tr)
	}
	if tr := saturate.Run(t, after)[0]; !tr.Recovered() {
		t.Errorf("with deadlines: %+v", tr)
	}
}

// Degraded answers are neither good nor failed.
func TestFallback(t *testing.T) {
	sc := scenario(onConn(lose))
	sc.Seeds = []uint64{1}
	call := sc.Call
	sc.Retry.MaxAttempts = 1
	sc.Call = func(ctx context.Context, cc grpc.ClientConnInterface) error {
		if call(ctx, cc) != nil {
			return saturate.ErrFallback
		}
		return nil
	}
	tr := saturate.Run(t, sc)[0]
	if tr.Fallbacks == 0 || tr.OK+tr.Fallbacks != tr.Calls || tr.Attempts != tr.Calls {
		t.Errorf("%+v", tr)
	}
}

// Of calls that wait for a worker, those whose caller goes leave the queue, or
// keep their place and are dead when they come to the handler.
func TestKeepGone(t *testing.T) {
	for _, keep := range []bool{false, true} {
		var dead atomic.Int64
		sc := scenario(func(d *saturate.Deps) handler {
			return func(ctx context.Context) error {
				if ctx.Err() != nil {
					dead.Add(1)
				}
				return d.Do(context.WithoutCancel(ctx))
			}
		})
		sc.Seeds = []uint64{1}
		sc.KeepGone = keep
		saturate.Run(t, sc)
		if got := dead.Load(); got > 0 != keep {
			t.Errorf("KeepGone %v: %d calls were dead when their handler began", keep, got)
		}
	}
}

// Every verdict is reached by real runs.
func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		verdict       saturate.Verdict
		before, after func(context.Context) context.Context
		change        func(sc *saturate.Scenario, after bool)
	}{
		{saturate.Proven, lose, keep, func(*saturate.Scenario, bool) {}},
		{saturate.NotReproduced, lose, keep, func(sc *saturate.Scenario, _ bool) {
			sc.Workers, sc.Queue = 8, -1 // holds less than the dependency serves within the deadline
		}},
		{saturate.NotSufficient, lose, keep, func(sc *saturate.Scenario, _ bool) {
			sc.Load = 0.85 // a FIFO queue keeps serving those whose deadline is nearest
			sc.Expect = saturate.Expect{Verdict: saturate.NotSufficient, Reason: "needs admission control as well"}
		}},
		{saturate.Regressed, keep, lose, func(*saturate.Scenario, bool) {}},
		{saturate.Invalid, lose, keep, func(sc *saturate.Scenario, after bool) {
			if after {
				sc.Seeds = []uint64{6, 7, 8, 9, 10}
			}
		}},
	} {
		t.Run(string(tt.verdict), func(t *testing.T) {
			before, after := scenario(onConn(tt.before)), scenario(onConn(tt.after))
			tt.change(&before, false)
			tt.change(&after, true)
			c := saturate.Compare(t, before, after)
			if c.Verdict != tt.verdict {
				t.Errorf("%s: %s", c.Verdict, c.Why)
			}
			if met := tt.verdict == saturate.Proven || tt.verdict == saturate.NotSufficient; c.Met != met {
				t.Errorf("met is %v", c.Met)
			}
		})
	}
}

// Served last in, first out, a dependency gives its slots to those that have
// time left, and the service recovers at a load at which FIFO holds it down.
func TestOrder(t *testing.T) {
	for order, recovers := range map[saturate.Order]bool{saturate.FIFO: false, saturate.LIFO: true} {
		sc := scenario(onConn(keep))
		sc.Load = 0.85
		sc.Dependency.Order = order
		sc.Seeds = []uint64{1}
		if tr := saturate.Run(t, sc)[0]; tr.Recovered() != recovers {
			t.Errorf("order %v: %+v", order, tr)
		}
	}
}

// Replies are what the scenario says, over gRPC and over HTTP.
func TestReplies(t *testing.T) {
	sc := short(func(d *saturate.Deps) handler {
		cc, client := d.Conn(), &http.Client{Transport: d.Transport()}
		return func(ctx context.Context) error {
			var reply wrapperspb.StringValue
			if err := cc.Invoke(ctx, "/names.Names/First", new(emptypb.Empty), &reply); err != nil {
				return err
			}
			req, err := http.NewRequestWithContext(ctx, "POST", "http://names/last", strings.NewReader("body"))
			if err != nil {
				return err
			}
			res, err := client.Do(req)
			if err != nil {
				return err
			}
			defer res.Body.Close()
			last, err := io.ReadAll(res.Body)
			if got := reply.Value + " " + string(last); got != "Ada Lovelace" || res.StatusCode != http.StatusAccepted {
				return status.Errorf(codes.Internal, "%s, %d, %v", got, res.StatusCode, err)
			}
			return nil
		}
	})
	sc.Dependency.ServiceTime = time.Millisecond
	sc.Rate = 20
	sc.Dependency.Reply = func(method string, _, reply any) error {
		if method == "/names.Names/First" {
			reply.(*wrapperspb.StringValue).Value = "Ada"
		}
		return nil
	}
	sc.Dependency.HTTP = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		if r.URL.Path == "/last" {
			io.WriteString(w, "Lovelace")
		}
	})
	if tr := saturate.Run(t, sc)[0]; tr.OK != tr.Calls || tr.Downstream != 2*tr.Calls {
		t.Errorf("%+v", tr)
	}
}

// In a blackout every adapter says at once that the dependency is down.
func TestBlackout(t *testing.T) {
	for name, adapter := range adapters {
		if name == "prepared" || name == "http" {
			continue // they are built by, or answer with, something else
		}
		t.Run(name, func(t *testing.T) {
			sc := short(adapter(keep))
			sc.Trigger.Kind = saturate.Blackout
			sc.Rate = 20
			var other atomic.Value
			sc.Call = func(ctx context.Context, cc grpc.ClientConnInterface) error {
				err := stub.Do(ctx, cc)
				if c := status.Code(err); c != codes.OK && c != codes.Unavailable {
					other.Store(err.Error())
				}
				return err
			}
			tr := saturate.Run(t, sc)[0]
			if tr.Calls == 0 || tr.OK != 0 || tr.Amplification != 3 || tr.Busy != 0 || tr.Base != 1 {
				t.Errorf("%+v", tr)
			}
			if err := other.Load(); err != nil {
				t.Errorf("the error is %s", err)
			}
		})
	}
}
