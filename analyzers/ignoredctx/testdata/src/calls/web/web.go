// Package web has calls of net/http, net, crypto/tls and os/exec.
package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"time"
)

type server struct {
	client   *http.Client
	upstream string
}

func (s *server) get(w http.ResponseWriter, r *http.Request) {
	resp, err := http.Get(s.upstream + r.URL.Path) // want `^http\.Get in server\.get takes no context, so the request's deadline cannot end it; use http\.NewRequestWithContext with r\.Context\(\) \(CTX202\)$`
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	_, _ = io.Copy(w, resp.Body)
}

func (s *server) post(ctx context.Context, body []byte) error {
	resp, err := s.client.Post(s.upstream, "text/plain", bytes.NewReader(body)) // want `^Client\.Post in server\.post`
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (s *server) head(ctx context.Context) (int, error) {
	resp, err := s.client.Head(s.upstream) // want `^Client\.Head in server\.head`
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return resp.StatusCode, nil
}

// The error is handled out of sight: no fix.
func (s *server) later(ctx context.Context) (*http.Response, error) {
	return http.Get(s.upstream) // want `^http\.Get in server\.later`
}

func (s *server) request(ctx context.Context) error {
	req, err := http.NewRequest(http.MethodGet, s.upstream, nil) // want `^http\.NewRequest in server\.request gives Client\.Do no context, so the caller's deadline cannot end it; use http\.NewRequestWithContext with ctx \(CTX202\)$`
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/plain")
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (s *server) bound(ctx context.Context) error {
	req, err := http.NewRequest(http.MethodGet, s.upstream, nil) // silent: it is given the context below
	if err != nil {
		return err
	}
	resp, err := s.client.Do(req.WithContext(ctx))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (s *server) recorded(ctx context.Context, h http.Handler) int {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/", nil)) // silent: the test helper's request goes nowhere
	return rec.Code
}

var newRequest = http.NewRequest

func (s *server) alias(ctx context.Context) error {
	req, err := newRequest(http.MethodGet, s.upstream, nil) // want `^http\.NewRequest in server\.alias`
	if err != nil {
		return err
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func Dial(ctx context.Context, addr string) error { // silent: named as the start of something
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	return c.Close()
}

func Probe(ctx context.Context, addr string) error {
	c, err := net.Dial("tcp", addr) // want `^net\.Dial in web\.Probe .* use Dialer\.DialContext with ctx`
	if err != nil {
		return err
	}
	return c.Close()
}

func ProbeFor(ctx context.Context, addr string, d time.Duration) error {
	c, err := net.DialTimeout("tcp", addr, d) // want `^net\.DialTimeout in web\.ProbeFor`
	if err != nil {
		return err
	}
	return c.Close()
}

func Resolve(ctx context.Context, host string) ([]string, error) {
	if ips, err := net.LookupIP(host); err == nil { // want `^net\.LookupIP in web\.Resolve`
		return []string{ips[0].String()}, nil
	}
	return net.LookupHost(host) // want `^net\.LookupHost in web\.Resolve`
}

func Greet(ctx context.Context, c *tls.Conn) error {
	return c.Handshake() // want `^Conn\.Handshake in web\.Greet .* use HandshakeContext with ctx`
}

func Convert(ctx context.Context, name string) ([]byte, error) {
	return exec.Command("convert", name, "-").Output() // want `^exec\.Command in web\.Convert gives Cmd\.Output no context, so the caller's deadline cannot end it; use exec\.CommandContext with ctx \(CTX202\)$`
}

func Prepared(ctx context.Context, name string) error {
	cmd := exec.Command("convert", name) // want `^exec\.Command in web\.Prepared gives Cmd\.Run`
	cmd.Dir = "/tmp"
	return cmd.Run()
}

func Unused(ctx context.Context, name string) *exec.Cmd {
	return exec.Command("convert", name) // silent: nothing waits for it here
}
