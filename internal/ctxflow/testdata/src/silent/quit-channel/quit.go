// Package quit has selects that something else's end ends.
package quit

import (
	"context"
	"net/http"
)

type worker struct {
	jobs chan string
	more chan string
	quit chan struct{}
}

func (w *worker) Next(ctx context.Context) string {
	select { // silent: quit-channel
	case job := <-w.jobs:
		return job
	case <-w.quit:
		return ""
	}
}

// ServeHTTP waits for somebody: the worker may go on for ever after the client
// has gone.
func (w *worker) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	select { // reported: CTX203
	case job := <-w.jobs:
		_, _ = rw.Write([]byte(job))
	case <-w.quit:
	}
}

// Either has no way out at all.
func (w *worker) Either(ctx context.Context) string {
	select { // reported: CTX203
	case job := <-w.jobs:
		return job
	case job := <-w.more:
		return job
	}
}
