// Package provider has contexts that come from something else than a
// context parameter: from a request, a stream, a command.
package provider

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
	Save(ctx context.Context, id string) error
}

type key struct{}

// Fresh has a request, and makes its own context.
func Fresh(s store) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = s.Load(context.Background(), "1") // want `use r\.Context\(\) \(CTX101\)`
	}
}

// FreshUnasked never mentions r.Context.
func FreshUnasked(w http.ResponseWriter, r *http.Request) {
	_ = global.Save(context.Background(), r.URL.Path) // want `use r\.Context\(\) \(CTX101\)`
}

var global store

// Middleware is made by a function that has a context of its own kind to
// give: the call of an unrelated method Context says nothing of the request.
func Middleware(tenant tenants) func(context.Context) context.Context {
	name := tenant.Context("default")
	return func(ctx context.Context) context.Context {
		return context.WithValue(ctx, key{}, name)
	}
}

type tenants interface{ Context(name string) string }

// UseMiddleware calls the factory from where there is a context.
func UseMiddleware(ctx context.Context, t tenants, s store) error {
	return s.Save(Middleware(t)(ctx), "1")
}

// fail reads the context of the request that it is given.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	slog.ErrorContext(r.Context(), "failed", "err", err)
	_ = global.Save(r.Context(), "failed")
	http.Error(w, err.Error(), http.StatusInternalServerError)
}

// failWith wraps it: the request is handed on, so the context is.
func failWith(w http.ResponseWriter, r *http.Request, text string) { fail(w, r, errors.New(text)) }

// Failing has a context variable beside the request that it hands on.
func Failing(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	if _, err := global.Load(ctx, "1"); err != nil {
		failWith(w, r, "not found")
	}
}

// param reads what a router has put into the request's context.
func param(r *http.Request, name string) string {
	v, _ := r.Context().Value(key{}).(map[string]string)
	return v[name]
}

// Routed uses it: a look-up in the request takes no context.
func Routed(w http.ResponseWriter, r *http.Request) {
	_, _ = global.Load(r.Context(), param(r, "id"))
}

// Rewritten continues on a request with a shorter context.
func Rewritten(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		r = r.WithContext(ctx)
		_ = global.Save(r.Context(), "1")
		next.ServeHTTP(w, r)
	})
}

// Valued adds a value only, server side, where there is nothing to send.
func Valued(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(context.WithValue(r.Context(), key{}, "1"))
		next.ServeHTTP(w, r)
	})
}

// Severed replaces the request's context by a root on the way to the handler.
func Severed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(context.Background(), key{}, "1"))) // want `CTX101`
	})
}

type event struct{}

// WatchServer is what generated code hands to the method of a stream.
type WatchServer interface {
	Send(*event) error
	grpc.ServerStream
}

type service struct{ s store }

// Watch uses the stream's context, which is the right one.
func (v *service) Watch(req *event, stream WatchServer) error {
	if err := v.s.Save(stream.Context(), "1"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(stream.Context(), time.Second)
	defer cancel()
	return v.s.Save(ctx, "2")
}

// Both has a context and a stream, and may use either.
func (v *service) Both(ctx context.Context, stream WatchServer) error {
	if err := v.s.Save(ctx, "1"); err != nil {
		return err
	}
	return v.s.Save(stream.Context(), "2")
}

// Neither has both, and uses none.
func (v *service) Neither(ctx context.Context, stream WatchServer) error {
	return v.s.Save(context.Background(), "1") // want `use ctx \(CTX101\)`
}

type wrapped struct {
	grpc.ServerStream
	ctx context.Context
}

func (w *wrapped) Context() context.Context { return w.ctx }

// Intercept wraps the stream to give it another context, as interceptors must.
func Intercept(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	ctx := context.WithValue(stream.Context(), key{}, info.FullMethod)
	if err := global.Save(ctx, info.FullMethod); err != nil {
		return err
	}
	return handler(srv, &wrapped{ServerStream: stream, ctx: ctx})
}

// InterceptFresh looks the caller up on a root.
func InterceptFresh(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if err := global.Save(context.Background(), info.FullMethod); err != nil { // want `use stream\.Context\(\) \(CTX101\)`
		return err
	}
	return handler(srv, stream)
}

// Redirects has an outer context, and a callback whose request is one that
// the client has made from it: both are right.
func Redirects(ctx context.Context, s store) *http.Client {
	return &http.Client{CheckRedirect: func(req *http.Request, via []*http.Request) error {
		return s.Save(ctx, req.URL.String())
	}}
}

// Command has the context of a command line.
var Command = &cobra.Command{RunE: func(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	if err := global.Save(ctx, "1"); err != nil {
		return err
	}
	return global.Save(context.Background(), "2") // want `use cmd\.Context\(\) \(CTX101\)`
}}

// Captured has no parameter: the context around it is at hand.
func Captured(ctx context.Context, s store, each func(func(id string) error) error) error {
	return each(func(id string) error {
		return s.Save(context.Background(), id) // want `use ctx \(CTX101\)`
	})
}

// InnerOwn is given a context by what calls it, and needs the outer one: the
// inner ends with each item.
func InnerOwn(ctx context.Context, s store, each func(func(ctx context.Context, id string) error) error) error {
	return each(func(inner context.Context, id string) error {
		return s.Save(ctx, id)
	})
}
