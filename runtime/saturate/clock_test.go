package saturate_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ctxprop/ctxprop/runtime/saturate"
)

// short is a scenario that takes a second, for what does not need more.
func short(build func(d *saturate.Deps) handler) saturate.Scenario {
	sc := scenario(build)
	sc.Seeds = []uint64{1}
	sc.Warmup, sc.Trigger.For, sc.Observe = 200*time.Millisecond, 200*time.Millisecond, 600*time.Millisecond
	return sc
}

// One seed is one result, to the last bit, whatever the machine does.
func TestReproducible(t *testing.T) {
	procs := []int{1, 2, 4}
	for name, use := range map[string]func(context.Context) context.Context{"lost": lose, "kept": keep} {
		t.Run(name, func(t *testing.T) {
			seen := map[string]int{}
			for _, n := range procs {
				before := runtime.GOMAXPROCS(n)
				sc := scenario(onConn(use))
				sc.Seeds = []uint64{3, 4} // two bubbles side by side
				for _, tr := range saturate.Run(t, sc) {
					tr.WallMs = 0
					b, err := json.Marshal([]any{tr, tr.Series})
					if err != nil {
						t.Fatal(err)
					}
					seen[string(b)]++
				}
				runtime.GOMAXPROCS(before)
			}
			if len(seen) != 2 {
				t.Errorf("two seeds gave %d different results", len(seen))
			}
			for _, n := range seen {
				if n != len(procs) {
					t.Errorf("one result came %d times, want %d", n, len(procs))
				}
			}
		})
	}
}

// The real clock says the same as the virtual one where the difference is
// clear. The scenario is scaled down, and lets a busy machine repeat.
func TestRealClock(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of real time")
	}
	before, after := scenario(onConn(lose)), scenario(onConn(keep))
	for _, sc := range []*saturate.Scenario{&before, &after} {
		sc.Clock = saturate.Real
		sc.Seeds = []uint64{1, 2}
		sc.Warmup, sc.Trigger.For, sc.Observe = time.Second, time.Second, 3*time.Second
	}
	b, a := saturate.Run(t, before), saturate.Run(t, after)
	counted := 0
	for i := range b {
		if b[i].Invalid != "" || a[i].Invalid != "" {
			t.Logf("seed %d does not count: %s%s", b[i].Seed, b[i].Invalid, a[i].Invalid)
			continue
		}
		counted++
		if b[i].Post >= a[i].Post {
			t.Errorf("seed %d: goodput %v with lost deadlines, %v with deadlines", b[i].Seed, b[i].Post, a[i].Post)
		}
	}
	if counted == 0 {
		t.Skip("nothing was tested: the machine disturbed every trial")
	}
}

// A mutex that is held across a wait freezes a bubble: waiting for a mutex is
// not durable, so the clock never moves to the end of the wait.
func frozen(d *saturate.Deps) handler {
	var mu sync.Mutex
	return func(ctx context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		return d.Do(ctx)
	}
}

func TestAutoSwitchesToTheRealClock(t *testing.T) {
	sc := short(frozen)
	sc.Rate = 100
	d := saturate.RunDescribed(t, sc)
	if d.Clock != "real" || !strings.Contains(d.ClockReason, "saturate_test.frozen.func1") ||
		!strings.Contains(d.ClockReason, "clock_test.go:") || !strings.Contains(d.ClockReason, "sync.Mutex.Lock") {
		t.Errorf("clock %s because %q", d.Clock, d.ClockReason)
	}
}

// Goroutines that outlive the service are named, whatever they wait for.
func TestLeaks(t *testing.T) {
	for name, leak := range map[string]func(){
		"blocked": func() { <-make(chan int) },
		"ticking": func() {
			for range time.Tick(time.Second) {
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			sc := short(func(d *saturate.Deps) handler {
				var once sync.Once
				return func(ctx context.Context) error {
					once.Do(func() { go leak() })
					return d.Do(ctx)
				}
			})
			tr := saturate.Run(t, sc)[0]
			if !strings.Contains(tr.Leaked, "saturate_test.TestLeaks") || !strings.Contains(tr.Leaked, "clock_test.go:") {
				t.Errorf("leaked %q", tr.Leaked)
			}
			if tr.Calls == 0 || tr.Invalid != "" {
				t.Errorf("the figures are lost: %+v", tr)
			}
		})
	}
}

// A handler that never returns is a leak too, and does not hang the test.
func TestHandlerNeverReturns(t *testing.T) {
	sc := short(func(d *saturate.Deps) handler {
		var calls atomic.Int64
		return func(ctx context.Context) error {
			if calls.Add(1) == 5 {
				<-make(chan int)
			}
			return d.Do(ctx)
		}
	})
	tr := saturate.Run(t, sc)[0]
	if !strings.Contains(tr.Leaked, "TestHandlerNeverReturns") {
		t.Errorf("leaked %q", tr.Leaked)
	}
}

func TestHandlerPanics(t *testing.T) {
	sc := short(func(d *saturate.Deps) handler {
		var calls atomic.Int64
		var m map[string]int
		return func(ctx context.Context) error {
			if calls.Add(1) == 5 {
				m["five"] = 1
			}
			return d.Do(ctx)
		}
	})
	tr := saturate.Run(t, sc)[0]
	for _, want := range []string{"/stub.Service/Do panicked", "assignment to entry in nil map", "TestHandlerPanics", "clock_test.go:"} {
		if !strings.Contains(tr.Invalid, want) {
			t.Errorf("%q does not say %q", tr.Invalid, want)
		}
	}
}
