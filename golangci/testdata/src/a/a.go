package a

import (
	"context"
	"database/sql"
	"net/http"
	"time"

	"lib"
)

type server struct{ db *sql.DB }

func (s *server) get(w http.ResponseWriter, r *http.Request) {
	s.db.QueryContext(context.Background(), "SELECT 1") // want `^context\.Background\(\) in .* \(CTX101\)$`
}

func (s *server) poll(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "" {
		time.Sleep(time.Second) // nothing here: the settings turn CTX203 off
	}
	s.db.QueryContext(r.Context(), "SELECT 1")
}

// The settings say that lib.Get waits, and what to call instead.
func (s *server) cached(w http.ResponseWriter, r *http.Request) {
	lib.Get("key") // want `lib\.Get.*\(CTX202\)$`
	s.db.QueryContext(r.Context(), "SELECT 1")
}
