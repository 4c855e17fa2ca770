// Package detach has fresh contexts where the one at hand must not be used,
// beside those that only look so.
package detach

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"sync"
	"time"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
	Save(ctx context.Context, id string) error
	Release(ctx context.Context) error
}

// Serve shuts down once its context has ended: any context made from it would
// be refused.
func Serve(ctx context.Context, srv *http.Server) error {
	<-ctx.Done()
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return srv.Shutdown(grace)
}

// ServeCase learns of the end in a select.
func ServeCase(ctx context.Context, srv *http.Server, failed <-chan error) error {
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return srv.Shutdown(grace)
}

// ServeApart leaves the wait to a goroutine, which ends when the context does.
func ServeApart(ctx context.Context, srv *http.Server) error {
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = srv.Shutdown(grace)
	}()
	return srv.ListenAndServe()
}

// ShutdownEnded uses the context whose end it has just seen.
func ShutdownEnded(ctx context.Context, srv *http.Server) error {
	<-ctx.Done()
	grace, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return srv.Shutdown(grace) // want `Server.Shutdown on a context that is already done, .*CTX107`
}

// ServeTooEarly makes the root before the wait, but needs it only afterwards:
// that its deadline runs from the start is another fault than a lost one.
func ServeTooEarly(ctx context.Context, srv *http.Server) error {
	grace, cancel := context.WithCancel(context.Background())
	defer cancel()
	<-ctx.Done()
	return srv.Shutdown(grace)
}

// OneRoot makes one root for one call, without a word why: the caller's
// deadline ends here all the same.
func OneRoot(ctx context.Context, s store) (string, error) {
	if err := s.Save(ctx, "1"); err != nil {
		return "", err
	}
	return s.Load(context.Background(), "1") // want `CTX101`
}

// OneRootAllowed says why; the call need not move to a helper to be left alone.
func OneRootAllowed(ctx context.Context, s store) (string, error) {
	if err := s.Save(ctx, "1"); err != nil {
		return "", err
	}
	return s.Load(context.Background(), "1") //ctxprop:allow CTX101 the audit needs the value even if the caller has gone
}

// DeferredUse reads the request's own context in a deferred closure: the
// handler has not returned yet, so that the context is alive.
func DeferredUse(s store) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer func() { _ = s.Save(r.Context(), "seen") }()
		_, _ = s.Load(r.Context(), "1")
	}
}

// DeferredCleanup undoes on a root with a deadline of its own what must be
// undone whether or not the caller still waits.
func DeferredCleanup(ctx context.Context, s store) (string, error) {
	defer func() {
		c, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.Release(c)
	}()
	return s.Load(ctx, "1")
}

// DeferredCleanupNamed hands the cleanup to a deferred call of a method.
func DeferredCleanupNamed(ctx context.Context, s store) (string, error) {
	defer s.Release(context.Background())
	return s.Load(ctx, "1")
}

// DeferredDerived overwrites both variables in the deferred closure, from the
// caller's context without its end: it keeps the values and has a deadline.
func DeferredDerived(ctx context.Context, s store) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = s.Release(ctx)
	}()
	return s.Load(ctx, "1")
}

// DeferredResult loads in a deferred closure what the caller waits for and
// uses: no cleanup.
func DeferredResult(ctx context.Context, s store) (out string, err error) {
	defer func() {
		out, err = s.Load(context.Background(), "1") // want `CTX101`
	}()
	return "", s.Save(ctx, "1")
}

// DeferredBeside has a deferred closure before its fault: what is found in the
// one must not hide the other.
func DeferredBeside(ctx context.Context, s store) (string, error) {
	defer func() { _ = s.Release(context.Background()) }()
	return s.Load(context.TODO(), "1") // want `context\.TODO\(\).*CTX101`
}

// Rollback rolls back on a root when the transaction has failed, perhaps
// because the caller has gone.
func Rollback(ctx context.Context, s store) error {
	if err := s.Save(ctx, "1"); err != nil {
		return errors.Join(err, s.Release(context.WithoutCancel(ctx)))
	}
	return nil
}

// ReleaseApart lets go of something in a goroutine, which no caller waits for.
func ReleaseApart(ctx context.Context, s store) (string, error) {
	go s.Release(context.TODO())
	return s.Load(ctx, "1")
}

// DiscardApart has no context to give: nothing is said of a call that takes none.
func DiscardApart(ctx context.Context, s store, tx *sql.Tx) (string, error) {
	go tx.Rollback()
	return s.Load(ctx, "1")
}

// WorkApart goes on with work of its own in a goroutine, with neither a
// deadline nor anybody who could end it.
func WorkApart(ctx context.Context, s store) {
	go s.Save(context.Background(), "1") // want `starts store.Save on a detached context .*CTX103`
}

// WorkApartBounded ends by itself.
func WorkApartBounded(ctx context.Context, s store) {
	c, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	go func() {
		defer cancel()
		_ = s.Save(c, "1")
	}()
}

// WorkNested starts it in a goroutine of a goroutine.
func WorkNested(ctx context.Context, s store) {
	go func() {
		go func() { // want `starts store.Save on a detached context .*CTX103`
			_ = s.Save(context.Background(), "1")
		}()
	}()
}

// WorkAwaited waits for what it starts: it is the caller's own work.
func WorkAwaited(ctx context.Context, s store, ids []string) {
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() {
			_ = s.Save(context.Background(), id) // want `CTX101`
		})
	}
	wg.Wait()
}

// Outlived starts work on the request's context, which ends with the handler.
func Outlived(s store) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		go func() { // want `on the request's context and does not wait for it: .*CTX105`
			_ = s.Save(r.Context(), "1")
		}()
	}
}

// OutlivedNamed gives it to a named function, through a variable.
func OutlivedNamed(s store) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), key{}, "1")
		go save(ctx, s) // want `CTX105`
	}
}

type key struct{}

func save(ctx context.Context, s store) { _ = s.Save(ctx, "1") }

// OutlivedNot keeps the values of the request, and has a deadline of its own.
func OutlivedNot(s store) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), time.Minute)
		go func() {
			defer cancel()
			save(ctx, s)
		}()
	}
}
