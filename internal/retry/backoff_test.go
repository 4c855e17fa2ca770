package retry

import (
	"math"
	"testing"
	"time"
)

// TestAttemptsWithin holds figures that were computed, for the defaults of
// libraries, apart from this code.
func TestAttemptsWithin(t *testing.T) {
	cenkalti := Backoff{Initial: 500 * time.Millisecond, Multiplier: 1.5, Max: time.Minute, Low: 0.5, High: 1.5}
	gax := Backoff{Initial: time.Second, Multiplier: 2, Max: 30 * time.Second, Low: 0, High: 1}
	otlp := Backoff{Initial: 5 * time.Second, Multiplier: 1.5, Max: 30 * time.Second, Low: 0.5, High: 1.5}
	temporal := Backoff{Initial: time.Second, Multiplier: 2, Max: 100 * time.Second}
	etcd := Backoff{Initial: 25 * time.Millisecond, Low: 0.9, High: 1.1}
	for _, test := range []struct {
		name           string
		b              Backoff
		within         time.Duration
		worst, average Attempts
	}{
		{"cenkalti", cenkalti, 15 * time.Minute, Exactly(40), Exactly(25)},
		{"cenkalti on a context", cenkalti, 10 * time.Second, Exactly(8), Exactly(6)},
		{"gax", gax, time.Minute, Unbounded(), Exactly(8)},
		{"gax for long", gax, 10 * time.Minute, Unbounded(), Exactly(44)},
		{"otlp", otlp, time.Minute, Exactly(7), Exactly(5)},
		{"temporal", temporal, 10 * time.Minute, Exactly(12), Exactly(12)},
		{"etcd", etcd, 5 * time.Second, Exactly(223), Exactly(201)},
		{"no wait", Backoff{}, time.Second, Unbounded(), Unbounded()},
		{"no time", temporal, 0, Exactly(1), Exactly(1)},
	} {
		worst, average := test.b.AttemptsWithin(test.within)
		if worst != test.worst || average != test.average {
			t.Errorf("%s: worst %s, average %s; want %s, %s", test.name, worst, average, test.worst, test.average)
		}
	}
}

func TestWaits(t *testing.T) {
	grpc := Backoff{Initial: 100 * time.Millisecond, Multiplier: 2, Max: time.Second, Low: grpcLow, High: grpcHigh}
	for _, test := range []struct {
		b           Backoff
		n           int
		least, most time.Duration
	}{
		{grpc, 0, 0, 0},
		{grpc, 1, 0, 0},
		{grpc, 2, 80 * time.Millisecond, 120 * time.Millisecond},
		{grpc, 6, 2000 * time.Millisecond, 3000 * time.Millisecond}, // 100+200+400+800+1000
		{Backoff{Initial: time.Hour, Multiplier: 10}, 100, math.MaxInt64, math.MaxInt64},
	} {
		least, most := test.b.Waits(test.n)
		if least.Round(time.Millisecond) != test.least.Round(time.Millisecond) || most.Round(time.Millisecond) != test.most.Round(time.Millisecond) {
			t.Errorf("%d attempts wait %s to %s, want %s to %s", test.n, least, most, test.least, test.most)
		}
	}
}

// A root deadline of 300 ms over a leaf of 50 ms was measured to end a nest of
// 27 at 6.
func TestCallsWithin(t *testing.T) {
	for _, test := range []struct {
		deadline, each time.Duration
		want           Attempts
	}{
		{300 * time.Millisecond, 50 * time.Millisecond, Exactly(6)},
		{time.Millisecond, time.Second, Exactly(1)},
		{time.Second, 0, Unbounded()},
	} {
		if got := CallsWithin(test.deadline, test.each); got != test.want {
			t.Errorf("%s in %s: %s, want %s", test.each, test.deadline, got, test.want)
		}
	}
}
