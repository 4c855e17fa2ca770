// Package chain reaches, through another package, work that could have taken
// its context.
package chain

import (
	"context"
	"net/http"

	"calls/chain/store"
)

type api struct{ s *store.Store }

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = a.s.Twice() // want `^store\.Store\.Count calls DB\.QueryRow, which takes no context \(store/store\.go:12\): it can outlive the caller of api\.ServeHTTP; give Count a ctx and use QueryRowContext \(CTX202\)$`
	store.Pause()      // want `^store\.Pause waits in time\.Sleep \(store/store\.go:23\), past the deadline of the caller of api\.ServeHTTP; give Pause a ctx and wait for its Done as well \(CTX203\)$`
	_ = store.Allowed(a.s.DB)
}

// Get is found with the first.
func (a *api) Get(ctx context.Context) (int, error) { return a.s.Count() }

func local(ctx context.Context, db *store.Store) error { return ping(db) }

func ping(db *store.Store) error { return db.DB.Ping() } // want `^chain\.ping calls DB\.Ping, which takes no context: it can outlive the caller of chain\.local; give ping a ctx and use PingContext \(CTX202\)$`
