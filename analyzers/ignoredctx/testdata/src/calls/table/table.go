// Package table calls functions that it keeps in maps.
package table

import (
	"database/sql"
	"net/http"
)

type health struct{ checks map[string]func() error }

func routes(mux *http.ServeMux, db, audit *sql.DB) {
	h := &health{checks: map[string]func() error{
		"db":    db.Ping,
		"audit": func() error { return audit.Ping() }, // want `^a function made by table\.routes calls DB\.Ping, which takes no context: it can outlive the caller of health\.ServeHTTP; give it a ctx and use PingContext \(CTX202\)$`
	}}
	mux.Handle("/healthz", h)
}

func (h *health) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, check := range h.checks {
		if check() != nil { // want `^DB\.Ping in health\.ServeHTTP takes no context, so the request's deadline cannot end it; use PingContext with r\.Context\(\) \(CTX202\)$`
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
}

type open struct{ checks map[string]func() error }

func (o *open) Register(name string, check func() error) { o.checks[name] = check }

func (o *open) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, check := range o.checks {
		if check() != nil { // silent: what has been registered is not known
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
}
