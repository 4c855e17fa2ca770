// Package told has waits for the end of what has been told to end.
package told

import "context"

type worker struct {
	stop context.CancelFunc
	quit chan struct{}
	done chan struct{}
	kick chan struct{}
	conn conn
}

type conn interface{ Shutdown() }

func (w *worker) Cancelled(ctx context.Context) {
	w.stop()
	<-w.done // silent: told-to-end
}

func (w *worker) Closed(ctx context.Context) {
	close(w.quit)
	<-w.done // silent: told-to-end
}

func (w *worker) Named(ctx context.Context) {
	w.conn.Shutdown()
	<-w.done // silent: told-to-end
}

// Sometimes has told it on one way only.
func (w *worker) Sometimes(ctx context.Context, now bool) {
	if now {
		w.stop()
	}
	<-w.done // reported: CTX203
}

// After tells it too late.
func (w *worker) After(ctx context.Context) {
	<-w.done // reported: CTX203
	w.stop()
}
