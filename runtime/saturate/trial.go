package saturate

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A trialRun is one trial while it runs.
type trialRun struct {
	sc             *Scenario
	seed           uint64
	clock          Clock // Virtual or Real
	progress, quit atomic.Int64
	stage          atomic.Int32 // how far it has come

	result            Trial
	methods, handlers []string
	dialers           []string
}

// The stages of a trial.
const (
	registering = iota
	probing
	loading
	measured
)

// stuck says why a trial that nothing can move any more is still at a stage; ""
// if it has measured what it should.
func stuck(stage int32) string {
	return [...]string{
		registering: "Register never returns",
		probing:     "Call never returns, though its context has a deadline",
		loading:     "a call never returns, though its context has a deadline",
		measured:    "",
	}[stage]
}

// run does the trial on whatever clock it is called under.
func (t *trialRun) run() (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case setupError:
			err = p
		default:
			err = setupError(fmt.Sprintf("the scenario panicked while it was set up: %v", p))
		}
	}()
	w := newWorld(t.sc, t.seed, t.clock, &t.progress, &t.quit)
	defer w.shutdown()
	var opts []grpc.DialOption
	if t.sc.DialOptions != nil {
		opts = t.sc.DialOptions()
	}
	cc := w.dial(w.services[0].network, append(opts[:len(opts):len(opts)], w.watch(0)...)...)
	t.stage.Store(probing)
	if err := w.probe(cc); err != nil {
		return err
	}
	t.stage.Store(loading)
	warm := w.load(cc)
	t.stage.Store(measured)
	w.shutdown()
	t.finish(w, warm)
	return nil
}

// probe makes one call of the idle service, so that a scenario that cannot work
// is told apart from a service that cannot cope.
func (w *world) probe(cc grpc.ClientConnInterface) error {
	var err error
	for range 3 {
		if err = w.try(cc); err == nil || err == ErrFallback {
			return nil
		}
		if why := w.failure(); why != "" {
			return setupError(why)
		}
	}
	if status.Code(err) == codes.Unimplemented {
		return setupError(fmt.Sprintf("the call is not served: %v; Register and Call must be about the same service", err))
	}
	return setupError(fmt.Sprintf("the call fails on an idle service, three times out of three within %v: %v", w.sc.Deadline, err))
}

// load offers the calls. In a blackout the warm-up is a record of its own, and
// all of its work has ended before the measurement begins, so that what is
// counted is exact.
func (w *world) load(cc grpc.ClientConnInterface) (warm *record) {
	sc := w.sc
	w.restart()
	if sc.Trigger.Kind != Blackout {
		spike := sc.Rate
		if sc.Trigger.Kind == LoadSpike {
			spike *= sc.Trigger.Factor
		}
		w.record(func(r *record) { r.measured = true })
		w.offer(cc, 0, phase{sc.Warmup, sc.Rate}, phase{sc.Trigger.For, spike}, phase{sc.Observe, sc.Rate})
		return nil
	}
	w.record(func(r *record) { r.measured = true })
	w.offer(cc, 0, phase{sc.Warmup, sc.Rate})
	w.settle()
	warm = w.restart()
	w.record(func(r *record) { r.measured, r.blackout = true, true })
	w.offer(cc, len(warm.calls), phase{sc.Trigger.For, sc.Rate})
	w.settle()
	return warm
}

// maxSettle bounds the wait for work that its callers have left behind.
const maxSettle = time.Minute

// settle waits until no worker and no slot is busy.
func (w *world) settle() {
	for waited := time.Duration(0); waited < maxSettle && w.busy(); waited += 10 * time.Millisecond {
		time.Sleep(10 * time.Millisecond)
	}
}

func (w *world) busy() bool {
	if !w.dep.slots.idle(w.sc.Dependency.Concurrency) {
		return true
	}
	for _, s := range w.services {
		if !s.workers.idle(s.hop.Workers) {
			return true
		}
	}
	return false
}

// shutdown closes the world, and waits for handlers that take their time.
func (w *world) shutdown() {
	closed := make(chan struct{})
	go func() {
		w.close()
		close(closed)
	}()
	patience := drainFor
	if w.clock == Real {
		patience /= 6
	}
	select {
	case <-closed:
	case <-time.After(patience):
	}
}

func (t *trialRun) finish(w *world, warm *record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t.result = w.rec.trial(w.sc, warm)
	t.result.Seed, t.result.Series.Seed = t.seed, t.seed
	t.result.Invalid = w.failed
	t.methods, t.handlers = w.handlers()
	t.dialers = slices.Sorted(maps.Keys(w.dialers))
}
