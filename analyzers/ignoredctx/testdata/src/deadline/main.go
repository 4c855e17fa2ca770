// Command deadline sends requests that nothing ever ends, and some that
// something does.
package main

import (
	"context"
	"net/http"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	_, _ = http.Get("https://example.com") // want `^http\.Get in main\.main has no deadline, and its client no timeout: it can take for ever; give the context or the client a timeout \(CTX206\)$`
	fetch(ctx)
	limited(ctx)
	half(ctx)
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	half(short)
}

func fetch(ctx context.Context) {
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://example.com", nil)
	_, _ = http.DefaultClient.Do(req) // want `^Client\.Do in main\.fetch has no deadline`
	bare := &http.Client{}
	_, _ = bare.Do(req) // want `^Client\.Do in main\.fetch has no deadline`
	timed := &http.Client{Timeout: time.Second}
	_, _ = timed.Do(req) // silent: the client has a timeout
}

func limited(parent context.Context) {
	ctx, cancel := context.WithTimeout(parent, time.Second)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://example.com", nil)
	_, _ = http.DefaultClient.Do(req) // silent: the context has a deadline
}

// half is called with a deadline and without.
func half(ctx context.Context) {
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://example.com", nil)
	_, _ = http.DefaultClient.Do(req) // silent: one caller sets a deadline
}

func given(c *http.Client, req *http.Request) {
	_, _ = c.Do(req) // silent: whose client and request these are, nobody shows
}
