package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// patience is how long a run may take before it shows what it is doing, and
// how long before it does so again.
const patience = time.Second

// progress tells a waiting user which stage a run has reached. On a terminal
// it is one line that disappears; with -v it is a line per finished stage; in
// a file or a pipe there is nothing.
type progress struct {
	w       io.Writer
	verbose bool

	mu    sync.Mutex
	name  string // of the stage, or ""
	since time.Time
	shown bool          // the line is on the terminal
	done  chan struct{} // nil when stopped
}

func startProgress(w io.Writer, verbose bool) *progress {
	return newProgress(w, isTerminal(w), verbose)
}

func newProgress(w io.Writer, terminal, verbose bool) *progress {
	pr := &progress{w: w, verbose: verbose, done: make(chan struct{})}
	if terminal && !verbose {
		go pr.refresh(time.Now(), pr.done)
	}
	return pr
}

// isTerminal reports whether w is a character device, which is as near as the
// standard library gets. The null device is one as well, and does no harm.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// refresh redraws the line until done is closed.
func (pr *progress) refresh(start time.Time, done <-chan struct{}) {
	tick := time.NewTicker(patience)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-tick.C:
			pr.draw(now.Sub(start))
		}
	}
}

func (pr *progress) draw(elapsed time.Duration) {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	if pr.done == nil || pr.name == "" {
		return
	}
	pr.shown = true
	fmt.Fprintf(pr.w, "\r\x1b[Kctxprop: %s, %d s", pr.name, int(elapsed.Seconds()))
}

// stage begins a stage, and so ends the one before.
func (pr *progress) stage(name string) {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	pr.finishStage()
	pr.name, pr.since = name, time.Now()
}

// stop ends the last stage and removes the line. It may be called twice.
func (pr *progress) stop() {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	if pr.done == nil {
		return
	}
	close(pr.done)
	pr.done = nil
	pr.finishStage()
	pr.name = ""
	if pr.shown {
		fmt.Fprint(pr.w, "\r\x1b[K")
	}
}

func (pr *progress) finishStage() {
	if pr.verbose && pr.name != "" {
		fmt.Fprintf(pr.w, "ctxprop: %s: %.1f s\n", pr.name, time.Since(pr.since).Seconds())
	}
}
