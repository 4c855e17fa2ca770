// Package outgoing has requests to others, and what is needed to make them.
package outgoing

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os/exec"

	"peers/outgoing/db"
)

type key struct{}

// Do sends a request that carries the context: the call of Do itself has no
// context to take.
func Do(ctx context.Context, c *http.Client) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://a.example", nil)
	if err != nil {
		return err
	}
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// build makes the request with the context that it is given.
func build(ctx context.Context, url string) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
}

// DoBuilt sends what a helper has made.
func DoBuilt(ctx context.Context, c *http.Client) error {
	req, err := build(ctx, "http://a.example")
	if err != nil {
		return err
	}
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// DoWithContext makes the request without a context, and then gives it one.
func DoWithContext(ctx context.Context, c *http.Client) error {
	req, err := http.NewRequest(http.MethodGet, "http://a.example", nil)
	if err != nil {
		return err
	}
	req = req.WithContext(ctx)
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// DoValued adds a value to the context that the request has already.
func DoValued(ctx context.Context, c *http.Client) error {
	req, err := build(ctx, "http://a.example")
	if err != nil {
		return err
	}
	req = req.WithContext(context.WithValue(req.Context(), key{}, "1"))
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// DoFresh takes the function with a context in its name, and gives it a root:
// nothing has been gained.
func DoFresh(w http.ResponseWriter, r *http.Request) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://a.example", nil) // want `cuts Client.Do off .*use r\.Context\(\) \(CTX101\)`
	if err != nil {
		return
	}
	if res, err := http.DefaultClient.Do(req); err == nil {
		_ = res.Body.Close()
	}
}

// DoTransport is as DoFresh, through a transport.
func DoTransport(ctx context.Context, rt http.RoundTripper) error {
	req, err := http.NewRequestWithContext(context.TODO(), http.MethodGet, "http://a.example", nil) // want `cuts RoundTripper.RoundTrip off .*CTX101`
	if err != nil {
		return err
	}
	res, err := rt.RoundTrip(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// sdk is a client whose requests take no context, and whose calls do.
type sdk interface {
	NewRequest(method, path string) (*sdkRequest, error)
	Do(ctx context.Context, r *sdkRequest) (string, error)
}

type sdkRequest struct{ path string }

// Call makes the request without a context, for there is no way to give one.
func Call(ctx context.Context, s sdk) (string, error) {
	r, err := s.NewRequest("GET", "/a")
	if err != nil {
		return "", err
	}
	return s.Do(ctx, r)
}

// Logged logs without a context: a logger waits for nobody.
func Logged(ctx context.Context, l *slog.Logger, s sdk) (string, error) {
	slog.Info("calling")
	l.Info("calling")
	l.InfoContext(ctx, "calling")
	l.InfoContext(context.Background(), "calling")
	return s.Do(ctx, &sdkRequest{})
}

// Replay makes a request for a handler that runs here, as for a test: none is sent.
func Replay(ctx context.Context, h http.Handler, body io.Reader) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequestWithContext(ctx, http.MethodPost, "/", body))
	return rec
}

// Query has a fresh context for a database of which this package imports nothing.
func Query(ctx context.Context) error {
	rows, err := db.Main.DB.QueryContext(context.Background(), "SELECT 1") // want `cuts DB.QueryContext off .*CTX101`
	if err != nil {
		return err
	}
	return rows.Close()
}

// Embedded reaches the method through an embedded field.
func Embedded(ctx context.Context) error {
	return db.Main.PingContext(context.Background()) // want `cuts DB.PingContext off .*CTX101`
}

// querier is what the callers of a database ask for.
type querier interface {
	Exec(ctx context.Context, q string) error
}

// Interface reaches one of which only the interface is known.
func Interface(ctx context.Context, q querier) error {
	return q.Exec(context.Background(), "DELETE FROM a") // want `cuts querier.Exec off .*CTX101`
}

// Run gives a root to a command that it waits for.
func Run(ctx context.Context) error {
	return exec.CommandContext(context.Background(), "true").Run() // want `cuts Cmd.Run off .*CTX101`
}

// NoContext has none at hand, and is called by nobody who has one: that
// blocking calls take none is no fault of theirs.
func NoContext(c *http.Client) error {
	if err := db.Main.Ping(); err != nil {
		return err
	}
	if _, err := db.Main.Exec("VACUUM"); err != nil {
		return err
	}
	res, err := c.Get("http://a.example")
	if err != nil {
		return err
	}
	return res.Body.Close()
}
