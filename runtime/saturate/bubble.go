package saturate

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A frozenError says which goroutines kept the virtual clock from moving.
type frozenError string

func (e frozenError) Error() string { return string(e) }

// inBubble runs the trial on a virtual clock. If the clock freezes, the bubble
// is left behind with quit set.
func (t *trialRun) inBubble(tt *testing.T) error {
	done := make(chan error, 1)
	id := make(chan string, 1)
	go func() {
		var err error
		defer func() {
			// Recover works because the bubble's runner panics here when goroutines
			// remain that nothing can wake.
			if p := recover(); p != nil {
				err = t.bubbleEnded(p, err)
			}
			done <- err
		}()
		synctest.Test(tt, func(*testing.T) {
			bubble := ownBubble()
			id <- bubble
			// The bubble's clock begins in the year 2000, before certificates and
			// tokens are valid.
			time.Sleep(time.Until(epoch))
			if err = t.run(); err == nil {
				t.result.Leaked = drain(bubble)
			}
		})
	}()
	select {
	case err := <-done:
		return err
	case bubble := <-id:
		return t.watch(bubble, done)
	}
}

// bubbleEnded says what a panic of the bubble's runner means.
func (t *trialRun) bubbleEnded(p any, err error) error {
	switch s := fmt.Sprint(p); {
	case strings.HasPrefix(s, "deadlock:"):
		if why := stuck(t.stage.Load()); why != "" && err == nil {
			return setupError(why)
		}
		if t.result.Leaked == "" && err == nil {
			t.result.Leaked = "goroutines that nothing can wake"
		}
		return err
	case strings.Contains(s, "asynctimerchan"):
		return frozenError("GODEBUG has asynctimerchan=1, with which there are no bubbles")
	case strings.Contains(s, "within a synctest bubble"):
		return setupError("the scenario is run inside a synctest bubble; it makes its own, so run it outside")
	}
	panic(p)
}

// epoch is the real time at which the process began.
var epoch = time.Now().Round(0)

const (
	drainFor  = time.Minute // virtual
	frozenFor = 2 * time.Second
)

// drain gives goroutines that outlive the service time to end, and names those
// that do not.
func drain(bubble string) string {
	var left []string
	for wait := time.Duration(0); wait <= drainFor; wait = max(time.Millisecond, 10*wait) {
		time.Sleep(wait)
		synctest.Wait()
		left = left[:0]
		for _, g := range goroutines(bubble) {
			if !g.harness() {
				left = append(left, g.String())
			}
		}
		if len(left) == 0 {
			return ""
		}
	}
	return strings.Join(counted(left), "; ")
}

// counted merges equal lines.
func counted(lines []string) (out []string) {
	n := map[string]int{}
	for _, l := range lines {
		if n[l]++; n[l] == 1 {
			out = append(out, l)
		}
	}
	for i, l := range out {
		if n[l] > 1 {
			out[i] = fmt.Sprintf("%d × %s", n[l], l)
		}
	}
	return out
}

// watch waits for the trial, on the real clock. The clock is frozen when
// nothing has progressed for a while and some goroutine of the bubble waits for
// what the bubble's clock cannot bring.
func (t *trialRun) watch(bubble string, done <-chan error) error {
	tick := time.NewTicker(frozenFor / 4)
	defer tick.Stop()
	last, since := t.progress.Load(), time.Now()
	stuck := ""
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
		}
		if now := t.progress.Load(); now != last {
			last, since, stuck = now, time.Now(), ""
			continue
		}
		if time.Since(since) < frozenFor {
			continue
		}
		now := blockers(goroutines(bubble))
		if now != "" && now == stuck { // twice in a row, so not in passing
			t.quit.Store(1)
			return frozenError(now)
		}
		stuck = now
	}
}

// blockers names the goroutines that keep the clock from moving, unless some
// goroutine is at work.
func blockers(gs []goroutine) string {
	var out []string
	for _, g := range gs {
		switch {
		case g.durable() || g.harness():
		case g.status == "running" || g.status == "runnable":
			return ""
		default:
			out = append(out, g.String())
		}
	}
	return strings.Join(counted(out), "; ")
}

// A goroutine is one entry of a dump of all goroutines.
type goroutine struct {
	status string // such as "sync.Mutex.Lock" or "chan receive (durable)"
	trace  string // from the first function on
}

func (g goroutine) durable() bool { return strings.HasSuffix(g.status, "(durable)") }

// harness reports whether the goroutine is the bubble's own: its runner, the
// test in it, or whoever waits for that.
func (g goroutine) harness() bool {
	return strings.HasPrefix(g.status, "synctest.") ||
		strings.Contains(g.trace, "saturate.(*trialRun).inBubble.") ||
		strings.Contains(g.trace, "synctest.testingSynctestTest(")
}

// String says what the goroutine does and where, in the code of the user if
// there is any.
func (g goroutine) String() string {
	at := firstFrame(g.trace, "runtime.", "internal/", "sync.", "syscall.", "net.", "os.", "time.", "io.", "context.")
	return fmt.Sprintf("%s waits (%s)", at, strings.TrimSuffix(g.status, " (durable)"))
}

// goroutines dumps those of one bubble.
func goroutines(bubble string) (gs []goroutine) {
	for entry := range strings.SplitSeq(dump(true), "\n\n") {
		header, trace, _ := strings.Cut(entry, "\n")
		status, of, ok := parseHeader(header)
		if ok && of == bubble {
			gs = append(gs, goroutine{status, trace})
		}
	}
	return gs
}

// parseHeader reads a line such as
//
//	goroutine 7 [chan receive (durable), 2 minutes, synctest bubble 3]:
func parseHeader(header string) (status, bubble string, ok bool) {
	_, in, ok := strings.Cut(header, "[")
	in, _, closed := strings.Cut(in, "]")
	if !ok || !closed {
		return "", "", false
	}
	fields := strings.Split(in, ", ")
	for _, f := range fields[1:] {
		if strings.HasPrefix(f, "synctest bubble ") {
			bubble = f
		}
	}
	return fields[0], bubble, bubble != ""
}

// ownBubble returns the name of the bubble it is called in.
func ownBubble() string {
	header, _, _ := strings.Cut(dump(false), "\n")
	_, bubble, _ := parseHeader(header)
	return bubble
}

func dump(all bool) string {
	for size := 1 << 16; ; size *= 4 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, all); n < size {
			return string(buf[:n])
		}
	}
}
