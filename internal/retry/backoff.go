package retry

import (
	"math"
	"time"
)

// Backoff is the wait before each retry: Initial·Multiplier^k, at most Max,
// times a random factor.
type Backoff struct {
	Initial    time.Duration
	Max        time.Duration // 0 for no limit
	Multiplier float64       // 0 counts as 1
	// The random factor's bounds; both 0 for none. It is even between them.
	Low, High float64
}

// grpcLow and grpcHigh are the bounds of grpc-go's jitter since version 1.68.
const grpcLow, grpcHigh = 0.8, 1.2

// factors are the bounds of the random factor.
func (b Backoff) factors() (low, high float64) {
	if b.Low == 0 && b.High == 0 {
		return 1, 1
	}
	return b.Low, b.High
}

// wait is the k-th wait without its random factor, in nanoseconds.
func (b Backoff) wait(k int) float64 {
	m := b.Multiplier
	if m == 0 {
		m = 1
	}
	w := float64(b.Initial) * math.Pow(m, float64(k))
	if b.Max > 0 {
		w = min(w, float64(b.Max))
	}
	return w
}

// Waits is the time that n attempts spend waiting between them, at least and
// at most. Sums beyond time.Duration's range are cut off there.
func (b Backoff) Waits(n int) (least, most time.Duration) {
	low, high := b.factors()
	sum := 0.0
	for k := range n - 1 {
		sum += b.wait(k)
		if low*sum > math.MaxInt64 {
			break
		}
	}
	return duration(low * sum), duration(high * sum)
}

func duration(ns float64) time.Duration {
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}

// manyAttempts ends the count of attempts that fit in a time, where waits are
// next to nothing: more are as good as no bound.
const manyAttempts = 100_000

// AttemptsWithin is how many attempts fit into a time that ends them, if each
// takes no time itself: in the worst case, and with average waits. Waits that
// may be 0 give no worst case, and waits of 0 no bound at all; both are then
// unbounded.
func (b Backoff) AttemptsWithin(t time.Duration) (worst, average Attempts) {
	low, high := b.factors()
	return b.fit(t, low), b.fit(t, (low+high)/2)
}

// fit counts the first attempt and all whose waits, scaled, end within t.
func (b Backoff) fit(t time.Duration, scale float64) Attempts {
	sum, n := 0.0, 1
	for {
		sum += scale * b.wait(n-1)
		if sum > float64(t) {
			return Exactly(n)
		}
		if n++; n > manyAttempts {
			return Unbounded()
		}
	}
}

// CallsWithin is how many calls, each of which takes at least the given time,
// fit one after the other into a deadline: what bounds a whole nest.
func CallsWithin(deadline, each time.Duration) Attempts {
	if each <= 0 {
		return Unbounded()
	}
	return Exactly(int(max(1, deadline/each)))
}
