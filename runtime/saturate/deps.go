package saturate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Deps gives a service what it depends on, within one trial. All adapters
// share the slots of the scenario's [Dependency].
type Deps struct {
	w       *world
	service *service
}

// Conn returns a connection whose unary methods, whatever they are, take a slot
// for a service time and answer with the empty message or Dependency.Reply. The
// options are those that the service dials with in production: interceptors, a
// service config. Without options it is always the same connection.
func (d *Deps) Conn(opts ...grpc.DialOption) grpc.ClientConnInterface {
	if len(opts) > 0 {
		d.w.dialled()
		return d.w.dep.dial(opts)
	}
	return d.w.dep.plain()
}

// Transport answers HTTP requests: each takes a slot for a service time, and
// Dependency.HTTP makes the answer. In a blackout it is 503.
func (d *Deps) Transport() http.RoundTripper { return transport{d.w.dep} }

// Acquire takes a slot for a fake of your own, which works until it calls
// release. It waits as long as ctx lasts; in a blackout it fails with
// UNAVAILABLE, and in a brown-out a slot is late by (Factor-1) × ServiceTime.
func (d *Deps) Acquire(ctx context.Context) (release func(), err error) {
	d.w.dep.arrive(ctx)
	release, err = d.w.dep.acquire(ctx, attemptOf(ctx))
	if err != nil {
		return nil, err
	}
	if late := d.w.dep.slowdown() - 1; late > 0 {
		if err := sleep(ctx, time.Duration(late*float64(d.w.sc.Dependency.ServiceTime))); err != nil {
			release()
			return nil, err
		}
	}
	return release, nil
}

// Do takes a slot for a service time.
func (d *Deps) Do(ctx context.Context) error {
	d.w.dep.arrive(ctx)
	return d.w.dep.serve(ctx, attemptOf(ctx))
}

// Next returns a connection to the next of Scenario.Hops, made with the options
// that the service dials with in production. Each call dials anew.
func (d *Deps) Next(opts ...grpc.DialOption) grpc.ClientConnInterface {
	i := d.service.index + 1
	if i == len(d.w.services) {
		panic(setupError(fmt.Sprintf("%s: Deps.Next: there is no hop behind it", d.service.hop.Name)))
	}
	d.w.dialled()
	return d.w.dial(d.w.services[i].network, append(opts[:len(opts):len(opts)], d.w.watch(i)...)...)
}

// OnClose has f called when the trial is over and the servers have stopped, to
// close what the service opened: a pool has goroutines, which count as leaked.
func (d *Deps) OnClose(f func()) { d.w.onClose(f) }

// Rand returns a source of its own for each call, which the trial's seed and
// the number of earlier calls determine.
func (d *Deps) Rand() *rand.Rand {
	return rand.New(rand.NewPCG(d.w.seed, 1<<32+d.w.rands.Add(1)))
}

// Lognormal draws a duration with the given mean and coefficient of variation.
func (d *Deps) Lognormal(mean time.Duration, cv float64) time.Duration {
	return lognormal(d.Rand(), mean.Seconds(), cv)
}

func lognormal(rng *rand.Rand, mean, cv float64) time.Duration {
	s2 := math.Log(1 + cv*cv)
	return time.Duration(mean * math.Exp(rng.NormFloat64()*math.Sqrt(s2)-s2/2) * float64(time.Second))
}

// sleep waits as long as ctx lasts.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A dependency is the scarce resource of a trial.
type dependency struct {
	w       *world
	slots   *limiter
	server  *grpc.Server
	network network
	plain   func() *grpc.ClientConn // the connection without options
	rng     *rand.Rand              // under w.mu
}

func newDependency(w *world) *dependency {
	c := w.sc.Dependency
	d := &dependency{w: w, slots: &limiter{order: c.Order, bound: -1, free: c.Concurrency}, rng: rand.New(rand.NewPCG(w.seed, streamService))}
	d.server = grpc.NewServer(grpc.WaitForHandlers(true), grpc.ForceServerCodec(rawCodec{}), grpc.UnknownServiceHandler(d.handle))
	d.network = w.listen(d.server)
	d.network.serve()
	d.plain = sync.OnceValue(func() *grpc.ClientConn { return d.dial(nil) })
	return d
}

// deadlineSlack allows for the rounding of deadlines on the wire and for the
// way to the server on the real clock.
const deadlineSlack = 10 * time.Millisecond

// arrive counts a request, and whether it carries its caller's deadline.
func (d *dependency) arrive(ctx context.Context) {
	a := attemptOf(ctx)
	until := a.until()
	deadline, ok := ctx.Deadline()
	detached := a == nil || !until.IsZero() && (!ok || deadline.After(until.Add(deadlineSlack)))
	d.w.record(func(r *record) {
		r.arrivals = append(r.arrivals, time.Now())
		if detached {
			r.detached++
		}
	})
}

func (d *dependency) slowdown() float64 {
	if d.w.triggered(Brownout) {
		return d.w.sc.Trigger.Factor
	}
	return 1
}

// errBlackout is a status, so that handlers pass it on with its code.
var errBlackout = status.Error(codes.Unavailable, "the dependency is down (blackout)")

func (d *dependency) acquire(ctx context.Context, a *attempt) (release func(), err error) {
	if d.w.triggered(Blackout) {
		return nil, errBlackout
	}
	if err := d.slots.acquire(ctx); err != nil {
		return nil, err
	}
	from := time.Now()
	return func() {
		d.w.record(func(r *record) { r.slots = append(r.slots, span{from, time.Now(), a}) })
		d.slots.release()
		d.w.progress.Add(1)
	}, nil
}

// serve holds a slot for one service time, or until ctx ends.
func (d *dependency) serve(ctx context.Context, a *attempt) error {
	release, err := d.acquire(ctx, a)
	if err != nil {
		return err
	}
	defer release()
	return sleep(ctx, d.serviceTime())
}

func (d *dependency) serviceTime() time.Duration {
	c := d.w.sc.Dependency
	slow := d.slowdown()
	d.w.mu.Lock()
	defer d.w.mu.Unlock()
	return lognormal(d.rng, c.ServiceTime.Seconds()*slow, c.CV)
}

func (d *dependency) dial(opts []grpc.DialOption) *grpc.ClientConn {
	return d.w.dial(d.network, append(opts[:len(opts):len(opts)],
		grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			d.arrive(ctx)
			if a := attemptOf(ctx); a != nil {
				ctx = withID(ctx, a)
			}
			if err := invoke(ctx, method, req, reply, cc, opts...); err != nil {
				return err
			}
			if f := d.w.sc.Dependency.Reply; f != nil {
				return f(method, req, reply)
			}
			return nil
		}),
		grpc.WithChainStreamInterceptor(func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, grpc.Streamer, ...grpc.CallOption) (grpc.ClientStream, error) {
			return nil, status.Error(codes.Unimplemented, "Deps.Conn answers unary methods; put a service that streams behind Deps.Next")
		}))...)
}

// handle serves any unary method: the empty message is a valid reply of every
// type.
func (d *dependency) handle(_ any, s grpc.ServerStream) error {
	var message []byte
	if err := s.RecvMsg(&message); err != nil {
		return err
	}
	if err := d.serve(s.Context(), d.w.sender(s.Context())); err != nil {
		if _, ok := status.FromError(err); ok {
			return err
		}
		return status.FromContextError(err).Err()
	}
	return s.SendMsg(&[]byte{})
}

// A rawCodec leaves messages as the bytes that they are.
type rawCodec struct{}

func (rawCodec) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

func (rawCodec) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = data
	return nil
}

func (rawCodec) Name() string { return "proto" }

type transport struct{ d *dependency }

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	t.d.arrive(ctx)
	if req.Body != nil {
		defer req.Body.Close()
	}
	w := httptest.NewRecorder()
	switch err := t.d.serve(ctx, attemptOf(ctx)); {
	case err == errBlackout:
		w.WriteHeader(http.StatusServiceUnavailable)
	case err != nil:
		return nil, err
	case t.d.w.sc.Dependency.HTTP != nil:
		t.d.w.sc.Dependency.HTTP.ServeHTTP(w, req)
	}
	res := w.Result()
	res.Request = req
	return res, nil
}
