package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// patience is how long a run may take before it shows what it is doing.
const patience = time.Second

// progress tells a waiting user which stage a run has reached. On a terminal
// it is one line that disappears; with -v it is a line per finished stage; in
// a file or a pipe there is nothing.
type progress struct {
	w        io.Writer
	live     bool
	verbose  bool
	patience time.Duration

	mu    sync.Mutex
	name  string
	since time.Time
	shown bool
	done  chan struct{}
}

func startProgress(w io.Writer, verbose bool) *progress {
	pr := &progress{w: w, live: isTerminal(w) && !verbose, verbose: verbose, patience: patience}
	pr.start()
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

func (pr *progress) start() {
	pr.done = make(chan struct{})
	if pr.live {
		go pr.refresh(time.Now(), pr.done)
	}
}

// refresh redraws the line until done is closed.
func (pr *progress) refresh(start time.Time, done <-chan struct{}) {
	tick := time.NewTicker(pr.patience)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-tick.C:
			pr.mu.Lock()
			if pr.name != "" {
				pr.shown = true
				fmt.Fprintf(pr.w, "\r\x1b[Kctxprop: %s, %d s", pr.name, int(now.Sub(start).Seconds()))
			}
			pr.mu.Unlock()
		}
	}
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
