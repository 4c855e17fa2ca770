package guard

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
)

// Retry says how a [Client] retries unary calls: within the callee's time,
// under the budget, and never a call that was shed.
type Retry struct {
	// MaxAttempts counts the first attempt; 0 and 1 are no retry.
	MaxAttempts int
	// Codes that are retried, default UNAVAILABLE. RESOURCE_EXHAUSTED is what
	// sheds load, and is refused here.
	Codes []codes.Code
	// Backoff before the second attempt, default 50 ms, doubled for each further
	// one up to MaxBackoff, default 1 s. The wait is drawn between 0 and that.
	Backoff, MaxBackoff time.Duration
	// Budget is the number of retries per call in the long run, default 0.1, and
	// Burst the number that may be saved up, default 10; a client starts with
	// them saved.
	Budget float64
	Burst  int
	// Switch turns the retries off at run time. Clients may share one; nil is
	// always on.
	Switch *Switch
	// Rand returns a number in [0, 1), default is math/rand/v2.Float64. It must
	// allow concurrent use.
	Rand func() float64
}

func (r Retry) withDefaults() Retry {
	if r.MaxAttempts == 0 {
		r.MaxAttempts = 1
	}
	if r.Codes == nil {
		r.Codes = []codes.Code{codes.Unavailable}
	}
	if r.Backoff == 0 {
		r.Backoff = 50 * time.Millisecond
	}
	if r.MaxBackoff == 0 {
		r.MaxBackoff = time.Second
	}
	if r.Budget == 0 {
		r.Budget = 0.1
	}
	if r.Burst == 0 {
		r.Burst = 10
	}
	if r.Rand == nil {
		r.Rand = rand.Float64
	}
	return r
}

func (r *Retry) validate() error {
	switch {
	case r.MaxAttempts < 0:
		return fmt.Errorf("guard: Retry.MaxAttempts is %d: it counts the first attempt", r.MaxAttempts)
	case slices.Contains(r.Codes, codes.ResourceExhausted):
		return fmt.Errorf("guard: Retry.Codes has RESOURCE_EXHAUSTED: a call that was shed must not come back")
	case slices.Contains(r.Codes, codes.OK):
		return fmt.Errorf("guard: Retry.Codes has OK")
	case r.Backoff < 0 || r.MaxBackoff < r.Backoff:
		return fmt.Errorf("guard: Retry.Backoff is %v and MaxBackoff %v: they are not negative and not the other way round", r.Backoff, r.MaxBackoff)
	case !(r.Budget > 0 && r.Budget <= 1):
		return fmt.Errorf("guard: Retry.Budget is %v: it is retries per call, above 0 and at most 1", r.Budget)
	case r.Burst < 1:
		return fmt.Errorf("guard: Retry.Burst is %d: it is a number of retries", r.Burst)
	}
	return nil
}

// backoff returns the wait after the n-th attempt.
func (r *Retry) backoff(n int) time.Duration {
	b := min(float64(r.MaxBackoff), float64(r.Backoff)*math.Pow(2, float64(n-1)))
	return time.Duration(b * r.Rand())
}

// A Switch turns retries off and on again at run time, as an operator wants
// during an incident. The zero value is on.
type Switch struct{ off atomic.Bool }

// Off turns the retries off, from the next one on.
func (s *Switch) Off() { s.off.Store(true) }

// On turns the retries on.
func (s *Switch) On() { s.off.Store(false) }

// IsOff reports whether retries are off.
func (s *Switch) IsOff() bool { return s != nil && s.off.Load() }

// A budget lets retries be a share of the calls: every call saves a part of a
// retry, every retry spends one. It counts in thousandths.
type budget struct {
	perCall, most int64
	saved         atomic.Int64
}

const retryCost = 1000

func newBudget(r Retry) *budget {
	b := &budget{perCall: int64(math.Round(r.Budget * retryCost)), most: int64(r.Burst) * retryCost}
	b.saved.Store(b.most)
	return b
}

func (b *budget) deposit() {
	for {
		old := b.saved.Load()
		next := min(old+b.perCall, b.most)
		if next == old || b.saved.CompareAndSwap(old, next) {
			return
		}
	}
}

func (b *budget) withdraw() bool {
	for {
		old := b.saved.Load()
		if old < retryCost {
			return false
		}
		if b.saved.CompareAndSwap(old, old-retryCost) {
			return true
		}
	}
}
