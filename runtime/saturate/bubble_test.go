package saturate

import "testing"

func TestParseHeader(t *testing.T) {
	for header, want := range map[string][2]string{
		"goroutine 7 [chan receive (durable), 2 minutes, synctest bubble 3]:": {"chan receive (durable)", "synctest bubble 3"},
		"goroutine 7 gp=0x1 m=nil [sync.Mutex.Lock, synctest bubble 12]:":     {"sync.Mutex.Lock", "synctest bubble 12"},
		"goroutine 7 [select, locked to thread]:":                             {},
		"goroutine 7 [running]:":                                              {},
		"":                                                                    {},
		"goroutine 7 [running, synctest bubble 1":                             {},
	} {
		status, bubble, ok := parseHeader(header)
		if ok != (want[1] != "") || ok && [2]string{status, bubble} != want {
			t.Errorf("%q: %q, %q, %v", header, status, bubble, ok)
		}
	}
}

// The frame that is named is the user's, not that of the wait itself.
func TestGoroutineString(t *testing.T) {
	g := goroutine{"sync.Mutex.Lock", `internal/sync.(*Mutex).lockSlow(0xc000012345)
	/usr/local/go/src/internal/sync/mutex.go:149 +0x15d
sync.(*Mutex).Lock(...)
	/usr/local/go/src/sync/mutex.go:46
example.com/orders.(*Cache).Get(0xc0001, {0x1, 0x2})
	/src/orders/cache.go:31 +0x44
created by example.com/orders.Serve in goroutine 9
	/src/orders/serve.go:12 +0x1f`}
	if got, want := g.String(), "example.com/orders.(*Cache).Get (/src/orders/cache.go:31) waits (sync.Mutex.Lock)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestBlockers(t *testing.T) {
	waits := goroutine{"sync.Mutex.Lock", "example.com/orders.Get(0x1)\n\t/src/orders.go:1 +0x1"}
	sleeps := goroutine{"sleep (durable)", "time.Sleep(0x1)\n\t/src/time.go:1 +0x1"}
	works := goroutine{"runnable", "example.com/orders.Sum(0x1)\n\t/src/orders.go:9 +0x1"}
	runner := goroutine{"synctest.Run", ""}
	for _, tt := range []struct {
		name string
		gs   []goroutine
		want string
	}{
		{"nobody", nil, ""},
		{"only sleepers", []goroutine{sleeps, runner}, ""},
		{"a mutex", []goroutine{sleeps, waits, waits, runner}, "2 × example.com/orders.Get (/src/orders.go:1) waits (sync.Mutex.Lock)"},
		{"a mutex, and somebody works", []goroutine{waits, works}, ""},
	} {
		if got := blockers(tt.gs); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
