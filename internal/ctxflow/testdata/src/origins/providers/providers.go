// Package providers has values that hand out a context through a method
// Context() context.Context.
package providers

import (
	"context"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
)

type sink interface {
	Load(ctx context.Context) error
}

type request struct{ ctx context.Context }

func (r *request) Context() context.Context { return r.ctx }

func (r *request) WithContext(ctx context.Context) *request { return &request{ctx} }

func Concrete(r *request, s sink) error {
	return s.Load(r.Context()) // origin: parameter
}

func HTTP(r *http.Request, s sink) error {
	return s.Load(r.Context()) // origin: parameter
}

func Interface(stream grpc.ServerStream, s sink) error {
	return s.Load(stream.Context()) // origin: parameter
}

func Generic(stream grpc.BidiStreamingServer[int, string], s sink) error {
	return s.Load(stream.Context()) // origin: parameter
}

func Command(cmd *cobra.Command, s sink) error {
	return s.Load(cmd.Context()) // origin: parameter
}

func Variable(r *http.Request, s sink) error {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	return s.Load(ctx) // origin: parameter+deadline
}

// Replaced: the request is replaced by one with a derived context.
func Replaced(r *http.Request, s sink) error {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	r = r.WithContext(ctx)
	return s.Load(r.Context()) // origin: parameter+deadline
}

func ReplacedByRoot(r *http.Request, s sink) error {
	r = r.WithContext(context.Background())
	return s.Load(r.Context()) // origin: fresh
}

func Cloned(r *http.Request, s sink) error {
	return s.Load(r.Clone(context.Background()).Context()) // origin: fresh
}

// OwnReplaced does it with a type of this package.
func OwnReplaced(r *request, s sink) error {
	r = r.WithContext(context.Background())
	return s.Load(r.Context()) // origin: fresh
}

func Bare(ctx context.Context, s sink) error {
	r, err := http.NewRequest("GET", "/", nil)
	if err != nil {
		return err
	}
	return s.Load(r.Context()) // origin: absent
}

// ByHand: nothing outside net/http can put a context into a request.
func ByHand(ctx context.Context, s sink) error {
	r := &http.Request{Method: "GET"}
	return s.Load(r.Context()) // origin: absent
}

func ByHandReplaced(ctx context.Context, s sink) error {
	r := (&http.Request{Method: "GET"}).WithContext(ctx)
	return s.Load(r.Context()) // origin: parameter
}

// Copied has the context of what it is a copy of.
func Copied(r *http.Request, s sink) error {
	c := new(http.Request)
	*c = *r
	return s.Load(c.Context()) // origin: stored
}

func Carried(ctx context.Context, s sink) error {
	r, err := http.NewRequestWithContext(ctx, "GET", "/", nil)
	if err != nil {
		return err
	}
	return s.Load(r.Context()) // origin: parameter
}

func BareReplaced(ctx context.Context, s sink) error {
	r, err := http.NewRequest("GET", "/", nil)
	if err != nil {
		return err
	}
	r = r.WithContext(ctx)
	return s.Load(r.Context()) // origin: parameter
}

func Built(ctx context.Context, s sink) error {
	r := &request{ctx: ctx}
	return s.Load(r.Context()) // origin: parameter
}

func BuiltOnRoot(ctx context.Context, s sink) error {
	r := &request{ctx: context.Background()}
	return s.Load(r.Context()) // origin: fresh
}

type wrapped struct {
	grpc.ServerStream
	ctx context.Context
}

func (w *wrapped) Context() context.Context { return w.ctx }

// Wrapped is the usual way to give a stream another context.
func Wrapped(stream grpc.ServerStream, s sink) error {
	w := &wrapped{ServerStream: stream, ctx: stream.Context()}
	return s.Load(w.Context()) // origin: parameter
}

type holder struct{ r *request }

// Held: what a struct holds is not known.
func Held(h *holder, s sink) error {
	return s.Load(h.r.Context()) // origin: stored
}
