// Package fixes has faults whose mend is easily got wrong: what is written
// here must compile, and mean the same but for the lost deadline.
package fixes

import (
	"context"
	"database/sql"
	"net/http"
	"time"
)

var db *sql.DB

// Unused has a variable that nothing uses after a careless mend.
func Unused(w http.ResponseWriter, r *http.Request) {
	ctx := context.Background() // want `CTX101`
	_ = db.PingContext(ctx)
}

// Blank has a context that no name can be given for.
func Blank(_ http.ResponseWriter, _ *http.Request) {
	_ = db.PingContext(context.Background()) // want `name the context parameter and use it \(CTX101\)`
}

// BlankBelow is reached by a request, and names its context _.
func BlankBelow(w http.ResponseWriter, r *http.Request) { _ = blank(r.Context()) }

func blank(_ context.Context) error {
	return db.PingContext(context.Background()) // want `name the context parameter and use it \(CTX101\)`
}

// Twice makes one context and uses it twice: one fault with one mend.
func Twice(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // want `use r\.Context\(\) \(CTX101\)`
	defer cancel()
	_ = db.PingContext(ctx)
	_ = db.PingContext(ctx)
}

// Shadowed has another r where the context is needed.
func Shadowed(w http.ResponseWriter, r *http.Request) {
	for _, r := range r.URL.Path {
		_ = db.PingContext(context.WithValue(context.Background(), key{}, r)) // want `CTX101`
	}
}

type key struct{}

// Loop derives anew in each round.
func Loop(w http.ResponseWriter, r *http.Request) {
	for range 3 {
		ctx := context.WithValue(context.Background(), key{}, "1") // want `CTX101`
		_ = db.PingContext(ctx)
	}
}

// Later has a context of its own only after the call.
func Later(w http.ResponseWriter, r *http.Request) {
	_ = db.PingContext(context.Background()) // want `use r\.Context\(\) \(CTX101\)`
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	_ = db.PingContext(ctx)
}

// Written is a second write: to end it half-way would leave half of both, so
// that there is nothing to apply.
func Written(w http.ResponseWriter, r *http.Request) {
	if _, err := db.ExecContext(r.Context(), "INSERT INTO a VALUES (1)"); err != nil {
		return
	}
	_, _ = db.ExecContext(context.Background(), "INSERT INTO b VALUES (1)") // want `CTX101`
}

type remote interface {
	Sync(ctx context.Context) error
}

// Deliberate may have its reasons, which no request is there to refute:
// reported, and left to people.
func Deliberate(ctx context.Context, r remote) error {
	return r.Sync(context.Background()) // want `use ctx \(CTX101\)`
}

// Detached is told to keep going, not to be cancelled with its caller.
func Detached(w http.ResponseWriter, r *http.Request) {
	go func() { // want `give it a timeout \(CTX103\)`
		_ = db.PingContext(context.Background())
	}()
}

// Escaped is told to detach.
func Escaped(w http.ResponseWriter, r *http.Request) {
	go func() { // want `use context.WithoutCancel with a timeout \(CTX105\)`
		_ = db.PingContext(r.Context())
	}()
}
