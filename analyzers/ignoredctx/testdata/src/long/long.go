// Package long has handlers that work long.
package long

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"database/sql"
	"log"
	"net/http"
	"net/smtp"

	"long/deep"
)

type merger interface {
	// Merge works for most of a second.
	//
	//ctxprop:expensive
	Merge(items []string) []string
}

type server struct {
	m     merger
	db    *sql.DB
	items []string
}

func (s *server) never(w http.ResponseWriter, r *http.Request) { // want `^server\.never does merger\.Merge, and nobody on its way asks the request's context whether the caller is still there; check r\.Context\(\)\.Err\(\) before it \(CTX201\)$`
	_ = s.m.Merge(s.items)
}

func (s *server) unnamed(w http.ResponseWriter, _ *http.Request) { // want `^server\.unnamed does merger\.Merge, .* name the context parameter and check its Err before it \(CTX201\)$`
	_ = s.m.Merge(s.items)
}

// values hands its context to what reads values only, here and elsewhere.
func (s *server) values(w http.ResponseWriter, r *http.Request) { // want `^server\.values does merger\.Merge`
	log.Print(r.Context().Value(s), r.FormValue("id"))
	deep.Tag(r.Context())
	s.merge(r.Context())
}

func (s *server) merge(ctx context.Context) { _ = s.m.Merge(s.items) }

func (s *server) mail(w http.ResponseWriter, r *http.Request) { // want `^server\.mail does smtp\.SendMail`
	_ = smtp.SendMail("host:25", nil, "a", []string{"b"}, nil)
}

func (s *server) nested(w http.ResponseWriter, r *http.Request) { // want `^server\.nested does a nest of loops`
	n := 0
	for _, a := range s.items {
		for _, b := range s.items {
			if a == b {
				n++
			}
		}
	}
	log.Print(n)
}

func (s *server) checks(w http.ResponseWriter, r *http.Request) { // silent: it asks
	if r.Context().Err() != nil {
		return
	}
	_ = s.m.Merge(s.items)
}

func (s *server) below(w http.ResponseWriter, r *http.Request) { // silent: what it calls asks, in another package
	deep.Check(r.Context())
	_ = s.m.Merge(s.items)
}

func (s *server) unknown(w http.ResponseWriter, r *http.Request, next func(*http.Request)) { // silent: who knows what next does
	next(r)
	_ = s.m.Merge(s.items)
}

func (s *server) trivial(w http.ResponseWriter, r *http.Request) { // silent: there is nothing to end
	w.WriteHeader(http.StatusNoContent)
}

// Helper is no request's handler.
func (s *server) Helper(ctx context.Context) { // silent: no request is in sight
	_ = s.m.Merge(s.items)
}

func (s *server) afterGone(w http.ResponseWriter, r *http.Request) {
	if err := s.db.PingContext(r.Context()); err != nil {
		log.Print(err) // the caller may have gone
	}
	_ = s.m.Merge(s.items) // want `^server\.afterGone enters merger\.Merge after it has waited, without asking whether its caller is still there; check r\.Context\(\)\.Err\(\) before it \(CTX205\)$`
}

func (s *server) left(w http.ResponseWriter, r *http.Request) {
	if err := s.db.PingContext(r.Context()); err != nil {
		return
	}
	_ = s.m.Merge(s.items) // silent: the wait's error has left
}

func (s *server) asked(w http.ResponseWriter, r *http.Request) {
	_ = s.db.PingContext(r.Context())
	if r.Context().Err() != nil {
		return
	}
	_ = s.m.Merge(s.items) // silent: it has asked
}

func (s *server) rounds(w http.ResponseWriter, r *http.Request) {
	if err := s.db.PingContext(r.Context()); err != nil {
		return
	}
	for range 10 {
		_ = s.m.Merge(s.items) // want `^server\.rounds enters merger\.Merge`
	}
}

func (s *server) askingRounds(w http.ResponseWriter, r *http.Request) {
	if err := s.db.PingContext(r.Context()); err != nil {
		return
	}
	for range 10 {
		if r.Context().Err() != nil {
			return
		}
		_ = s.m.Merge(s.items) // silent: every round asks
	}
}

// key is known to take long.
func (s *server) key(w http.ResponseWriter, r *http.Request) {
	if err := s.db.PingContext(r.Context()); err != nil {
		log.Print(err)
	}
	_, _ = rsa.GenerateKey(rand.Reader, 4096) // want `^server\.key enters rsa\.GenerateKey after it has waited`
}
