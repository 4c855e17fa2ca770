// Package handlers has net/http handlers of every shape that give blocking
// work a root of their own.
package handlers

import (
	"context"
	"database/sql"
	"net/http"
	"time"
)

var db *sql.DB

func Function(w http.ResponseWriter, r *http.Request) {
	_ = db.PingContext(context.Background()) // want `^context\.Background\(\) in handlers\.Function cuts DB\.PingContext off from the request's deadline; use r\.Context\(\) \(CTX101\)$`
}

func TODO(w http.ResponseWriter, r *http.Request) {
	_ = db.PingContext(context.TODO()) // want `^context\.TODO\(\) in handlers\.TODO cuts DB\.PingContext off from the request's deadline; use r\.Context\(\) \(CTX101\)$`
}

type Server struct{}

func (s *Server) Method(w http.ResponseWriter, req *http.Request) {
	_ = db.PingContext(context.Background()) // want `^context\.Background\(\) in Server\.Method cuts DB\.PingContext off from the request's deadline; use req\.Context\(\) \(CTX101\)$`
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // want `use r\.Context\(\) \(CTX101\)$`
	defer cancel()
	_ = db.PingContext(ctx)
}

// Params are what some routers add to the pair.
type Params []string

func Routed(w http.ResponseWriter, r *http.Request, ps Params) error {
	return db.PingContext(context.Background()) // want `use r\.Context\(\) \(CTX101\)$`
}

func Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = db.PingContext(context.Background()) // want `^context\.Background\(\) in handlers\.Middleware cuts DB\.PingContext off from the request's deadline; use r\.Context\(\) \(CTX101\)$`
		next.ServeHTTP(w, r)
	})
}

func Registered(mux *http.ServeMux) {
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		_ = db.PingContext(context.Background()) // want `use r\.Context\(\) \(CTX101\)$`
	})
}

// Twice has one root for two calls: one finding. A second root is a second one.
func Twice(w http.ResponseWriter, r *http.Request) {
	ctx := context.Background() // want `use r\.Context\(\) \(CTX101\)$`
	_ = db.PingContext(ctx)
	_ = db.PingContext(ctx)
	_ = db.PingContext(context.Background()) // want `use r\.Context\(\) \(CTX101\)$`
}

// Below has its own context parameter, and only this handler calls it: the
// message names the handler whose deadline is lost.
func Above(w http.ResponseWriter, r *http.Request) { _ = below(r.Context()) }

func below(ctx context.Context) error {
	return db.PingContext(context.Background()) // want `^context\.Background\(\) in handlers\.below cuts DB\.PingContext off from the deadline of the request in handlers\.Above; use ctx \(CTX101\)$`
}

// Request builds its outgoing call on a root: the loss is where the root is
// made, the sink where the request is sent.
func Request(w http.ResponseWriter, r *http.Request) {
	out, err := http.NewRequestWithContext(context.Background(), "GET", "http://example.com", nil) // want `^context\.Background\(\) in handlers\.Request cuts Client\.Do off from the request's deadline; use r\.Context\(\) \(CTX101\)$`
	if err != nil {
		return
	}
	if res, err := http.DefaultClient.Do(out); err == nil {
		_ = res.Body.Close()
	}
}

// Unnamed has a request, but no name for it.
func Unnamed(http.ResponseWriter, *http.Request) {
	_ = db.PingContext(context.Background()) // want `name the context parameter and use it \(CTX101\)$`
}

// Replaced hands a request on whose context it has replaced by a root.
func Replaced(w http.ResponseWriter, r *http.Request) {
	r = r.WithContext(context.Background()) // want `CTX101`
	_ = db.PingContext(r.Context())
}

// Derived does what handlers should: nothing to report.
func Derived(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	_ = db.PingContext(ctx)
	r = r.WithContext(ctx)
	_ = below2(r)
}

func below2(r *http.Request) error { return db.PingContext(r.Context()) }
