// Package detach starts work that outlives its request, with and without an end.
package detach

import (
	"context"
	"net/http"
	"os/exec"

	"detach/jobs"
)

type server struct {
	s      jobs.Store
	client *http.Client
	queue  chan string
}

func (h *server) named(w http.ResponseWriter, r *http.Request) {
	go h.refresh("1") // want `server.named starts Store.Save on a detached context \(context.Background\(\)\) without a deadline, and nobody waits for it: .*\(CTX103\)`
}

func (h *server) refresh(id string) { _ = h.s.Save(context.Background(), id) }

func (h *server) below(w http.ResponseWriter, r *http.Request) {
	go func() { // want `server.below starts Store.Save .*\(CTX103\)`
		h.deeper("1")
	}()
}

func (h *server) deeper(id string) { h.refresh(id) }

func (h *server) elsewhere(w http.ResponseWriter, r *http.Request) {
	go jobs.Mail(h.s, "1") // want `server.elsewhere starts Store.Save .*\(CTX103\)`
}

func (h *server) batch(w http.ResponseWriter, r *http.Request) {
	go jobs.Batch(h.s, []string{"1"}) // want `server.batch starts Store.Save .*\(CTX103\)`
}

func (h *server) each(w http.ResponseWriter, r *http.Request) {
	go func() { // want `server.each starts Store.Save .*\(CTX103\)`
		for _, id := range r.Form["id"] {
			_ = h.s.Save(context.Background(), id)
		}
	}()
}

func (h *server) bounded(w http.ResponseWriter, r *http.Request) {
	go jobs.Bounded(h.s, "1") // Right: it has a deadline.
}

func (h *server) poller(w http.ResponseWriter, r *http.Request) {
	go jobs.Poll(h.s) // Right: a worker, which the request only starts.
}

func (h *server) consumer(w http.ResponseWriter, r *http.Request) {
	go jobs.Consume(h.s, h.queue) // Right: likewise.
}

// start has no request and no context: the process is the owner.
func (h *server) start() {
	go h.refresh("1")
}

func (h *server) reaped(w http.ResponseWriter, r *http.Request) {
	cmd := exec.CommandContext(context.Background(), "daemon")
	if cmd.Start() == nil {
		go cmd.Wait() // Right: it only reaps what was started to stay.
	}
}

func (h *server) hook(w http.ResponseWriter, r *http.Request) {
	req, err := http.NewRequestWithContext(context.Background(), "POST", "/hook", nil)
	if err != nil {
		return
	}
	go h.client.Do(req) // Right: the client may have a timeout.
}

func (h *server) defaultHook(w http.ResponseWriter, r *http.Request) {
	req, err := http.NewRequestWithContext(context.Background(), "POST", "/hook", nil)
	if err != nil {
		return
	}
	go http.DefaultClient.Do(req) // want `server.defaultHook starts Client.Do .*\(CTX103\)`
}

func (h *server) nested(w http.ResponseWriter, r *http.Request) {
	go func() {
		go func() { // want `server.nested starts Store.Save .*\(CTX103\)`
			_ = h.s.Save(context.Background(), "1")
		}()
	}()
}

type lock interface {
	Release(ctx context.Context) error
}

func (h *server) released(w http.ResponseWriter, r *http.Request, l lock) {
	go l.Release(context.Background()) // Right: a release may take its time.
}

// once: the closure has a context of its own, which the work could not use either.
func (h *server) once(w http.ResponseWriter, r *http.Request) {
	go func(ctx context.Context) { // want `server.once starts Store.Save .*\(CTX103\)`
		_ = h.s.Save(context.Background(), "1")
	}(r.Context())
}
