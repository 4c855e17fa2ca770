package saturate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A phase offers calls at a rate for a time.
type phase struct {
	length time.Duration
	rate   float64 // calls per second
}

// arrivals returns the times of a Poisson stream that is fixed beforehand: an
// open loop, in which callers do not wait for each other's answers.
func arrivals(rng *rand.Rand, phases ...phase) (due []time.Duration) {
	var edge time.Duration
	for _, p := range phases {
		end := edge + p.length
		gap := func() time.Duration { return time.Duration(rng.ExpFloat64() / p.rate * float64(time.Second)) }
		for t := edge + gap(); t < end; t += gap() {
			due = append(due, t)
		}
		edge = end
	}
	return due
}

// offer makes the calls when they are due, waits for the end of the phases and
// for all answers.
func (w *world) offer(cc grpc.ClientConnInterface, first int, phases ...phase) {
	due := arrivals(rand.New(rand.NewPCG(w.seed, streamArrivals+uint64(first)<<8)), phases...)
	calls := make([]call, len(due))
	start := w.rec.start
	var lag time.Duration
	var wg sync.WaitGroup
	for i, at := range due {
		time.Sleep(at - time.Since(start))
		if w.quit.Load() != 0 {
			break
		}
		lag = max(lag, time.Since(start)-at)
		w.progress.Add(1)
		wg.Go(func() {
			out := w.call(cc, first+i)
			calls[i] = call{due: at, done: time.Since(start), outcome: out}
			w.progress.Add(1)
		})
	}
	var length time.Duration
	for _, p := range phases {
		length += p.length
	}
	time.Sleep(length - time.Since(start))
	wg.Wait()
	w.record(func(r *record) { r.calls, r.lag = calls, lag })
}

// call is one call with its attempts, as the caller makes it.
func (w *world) call(cc grpc.ClientConnInterface, n int) outcome {
	// Each call has jitter of its own, which does not depend on other calls.
	rng := rand.New(rand.NewPCG(w.seed, streamBackoff+uint64(n)<<8))
	for made := 1; ; made++ {
		err := w.try(cc)
		switch {
		case err == nil:
			return good
		case errors.Is(err, ErrFallback):
			return fallback
		case made == w.sc.Retry.MaxAttempts || w.quit.Load() != 0,
			!slices.Contains(w.sc.Retry.RetryableCodes, code(err)):
			return failed
		}
		time.Sleep(w.sc.Retry.backoff(made, rng))
	}
}

// code also knows the errors of a context that did not go through gRPC.
func code(err error) codes.Code {
	if c := status.Code(err); c != codes.Unknown {
		return c
	}
	return status.FromContextError(err).Code()
}

func (w *world) try(cc grpc.ClientConnInterface) error {
	ctx, cancel := context.WithTimeout(context.Background(), w.sc.Deadline)
	defer cancel()
	a := w.attempt(ctx)
	defer w.over(a)
	return w.sc.Call(context.WithValue(ctx, attemptKey{}, a), cc)
}

// backoff returns the wait after the n-th attempt.
func (r Retry) backoff(n int, rng *rand.Rand) time.Duration {
	b := float64(r.InitialBackoff) * math.Pow(r.BackoffMultiplier, float64(n-1))
	if r.MaxBackoff > 0 {
		b = min(b, float64(r.MaxBackoff))
	}
	switch r.Jitter {
	case FullJitter:
		b *= 2 * rng.Float64()
	case GRPCJitter:
		b *= 0.8 + 0.4*rng.Float64()
	}
	return time.Duration(b)
}
