package saturate

import (
	"context"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// attemptHeader carries the identity of an attempt to the server.
const attemptHeader = "ctxprop-attempt"

// An attempt is one call on one connection, from the caller's side. Whether the
// caller is still there is judged by its own clock, for a server cannot know:
// the timeout on the wire is relative, so a request that was read late has a
// fresh deadline.
type attempt struct {
	id       string
	parent   *attempt // on whose behalf it was made
	deadline time.Time
	gone     time.Time // when the caller had its answer or gave up
}

type attemptKey struct{}

func attemptOf(ctx context.Context) *attempt {
	a, _ := ctx.Value(attemptKey{}).(*attempt)
	return a
}

// goneAt returns when the first caller in the chain had gone; zero if none had.
func (a *attempt) goneAt() (t time.Time) {
	for ; a != nil; a = a.parent {
		if !a.gone.IsZero() && (t.IsZero() || a.gone.Before(t)) {
			t = a.gone
		}
	}
	return t
}

// until returns the earliest deadline in the chain; zero if there is none.
func (a *attempt) until() (t time.Time) {
	for ; a != nil; a = a.parent {
		if !a.deadline.IsZero() && (t.IsZero() || a.deadline.Before(t)) {
			t = a.deadline
		}
	}
	return t
}

// attempt records a new attempt on behalf of whoever ctx belongs to.
func (w *world) attempt(ctx context.Context) *attempt {
	a := &attempt{parent: attemptOf(ctx)}
	a.deadline, _ = ctx.Deadline()
	w.mu.Lock()
	defer w.mu.Unlock()
	a.id = strconv.Itoa(len(w.attempts))
	w.attempts = append(w.attempts, a)
	return a
}

func (w *world) over(a *attempt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a.gone = time.Now()
	w.progress.Add(1)
}

// sender returns the attempt whose identity came in with a request.
func (w *world) sender(ctx context.Context) *attempt {
	id := metadata.ValueFromIncomingContext(ctx, attemptHeader)
	if len(id) != 1 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if i, err := strconv.Atoi(id[0]); err == nil && i >= 0 && i < len(w.attempts) {
		return w.attempts[i]
	}
	return nil
}

// withID puts a's identity, and no other, on an outgoing request.
func withID(ctx context.Context, a *attempt) context.Context {
	md, ok := metadata.FromOutgoingContext(ctx)
	if !ok {
		md = metadata.MD{}
	}
	md.Set(attemptHeader, a.id)
	return metadata.NewOutgoingContext(ctx, md)
}

// watch returns dial options that record the attempts on a connection to the
// i-th service. They go last, so that every attempt of a retrying interceptor
// is seen.
func (w *world) watch(i int) []grpc.DialOption {
	begin := func(ctx context.Context) (context.Context, *attempt) {
		a := w.attempt(ctx)
		w.mu.Lock()
		w.rec.services[i].attempts++
		w.mu.Unlock()
		return withID(ctx, a), a
	}
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			ctx, a := begin(ctx)
			defer w.over(a)
			return invoke(ctx, method, req, reply, cc, opts...)
		}),
		grpc.WithChainStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			ctx, a := begin(ctx)
			s, err := open(ctx, desc, cc, method, opts...)
			if err != nil {
				w.over(a)
				return nil, err
			}
			// grpc-go cancels a stream's context when the stream is finished.
			context.AfterFunc(s.Context(), func() { w.over(a) })
			return s, nil
		}),
	}
}
