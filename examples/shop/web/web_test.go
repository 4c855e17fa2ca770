package web

import (
	"context"
	"database/sql"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ctxprop/ctxprop/examples/shop/slowdb"
	"github.com/ctxprop/ctxprop/examples/shop/store"
)

// TestCallerGone hangs up one second into a statement that takes three, and
// takes the time until the handler is done. It shows that what ctxprop reports
// in this module is lost, and that what it passes over is not.
func TestCallerGone(t *testing.T) {
	for _, test := range []struct {
		method, path string
		want         time.Duration
	}{
		{"GET", "/stock/tea", 3 * time.Second},       // lost in web.stock
		{"GET", "/suggestions/ann", 3 * time.Second}, // lost in store.History
		{"GET", "/favourites", 3 * time.Second},      // lost in web.withLanguage
		{"GET", "/orders/ann", 1 * time.Second},
		{"POST", "/orders/ann/tea", 1 * time.Second},
	} {
		t.Run(test.path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := sql.OpenDB(slowdb.Connector{Delay: 3 * time.Second})
				defer db.Close()

				ctx, hangUp := context.WithTimeout(t.Context(), time.Second)
				defer hangUp()
				req := httptest.NewRequestWithContext(ctx, test.method, test.path, nil)
				start := time.Now()
				New(store.New(db)).ServeHTTP(httptest.NewRecorder(), req)
				if got := time.Since(start); got != test.want {
					t.Errorf("%s %s ended after %v, want %v", test.method, test.path, got, test.want)
				}
			})
		})
	}
}

// TestReleaseAfterCallerGone hangs up while the order is being written. The
// reserved item must still go back, and only a fresh context can see to that.
func TestReleaseAfterCallerGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := sql.OpenDB(slowdb.Connector{Delay: 3 * time.Second})
		defer db.Close()

		ctx, hangUp := context.WithTimeout(t.Context(), 4*time.Second)
		defer hangUp()
		req := httptest.NewRequestWithContext(ctx, "POST", "/orders/ann/tea", nil)
		start := time.Now()
		New(store.New(db)).ServeHTTP(httptest.NewRecorder(), req)
		if got, want := time.Since(start), 7*time.Second; got != want {
			t.Errorf("order ended after %v, want %v: 3 s to reserve, 1 s until the caller is gone, 3 s to release", got, want)
		}
	})
}
