package guard

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/metric"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ServerOptions configure a [Server]. The zero value refuses only calls whose
// caller has gone.
type ServerOptions struct {
	// MinRemaining is the time below which an answer cannot be in time any more:
	// a call that arrives with less is refused with DEADLINE_EXCEEDED. The
	// shortest time in which the service answers is a safe value.
	MinRemaining time.Duration
	// MinRemainingFor replaces MinRemaining for full methods such as
	// "/orders.Orders/Get".
	MinRemainingFor map[string]time.Duration
	// MaxActive is the number of calls that are worked on at a time; one beyond is
	// refused with RESOURCE_EXHAUSTED. Choose it below the number of workers, so
	// that one is left to refuse with. 0 is no bound.
	MaxActive int
	// MeterProvider of the metrics, default is the global one.
	MeterProvider metric.MeterProvider
	// Logger of refusals (Debug) and of work after the caller left (Warn); default
	// is none.
	Logger *slog.Logger
}

// A Server guards the calls of a gRPC server.
type Server struct {
	opts    ServerOptions
	metrics *serverMetrics
	methods methods[serverMethod]
	active  atomic.Int64
	watch   watch
}

// A serverMethod is what is known of one method.
type serverMethod struct {
	name         string
	minRemaining time.Duration
	metrics      serverMethodMetrics
}

// NewServer returns a Server, or an error that names the option that is wrong.
func NewServer(opts ServerOptions) (*Server, error) {
	if opts.MaxActive < 0 {
		return nil, fmt.Errorf("guard: MaxActive is %d: it is the number of calls worked on at a time, or 0 for no bound", opts.MaxActive)
	}
	if opts.MinRemaining < 0 {
		return nil, fmt.Errorf("guard: MinRemaining is negative: %v", opts.MinRemaining)
	}
	for method, d := range opts.MinRemainingFor {
		if err := checkMethod("MinRemainingFor", method); err != nil {
			return nil, err
		}
		if d < 0 {
			return nil, fmt.Errorf("guard: MinRemainingFor[%q] is negative: %v", method, d)
		}
	}
	s := &Server{opts: opts}
	var err error
	if s.metrics, err = newServerMetrics(opts.MeterProvider, &s.active); err != nil {
		return nil, err
	}
	s.methods.make = s.method
	return s, nil
}

func (s *Server) method(name string) *serverMethod {
	m := &serverMethod{name: name, minRemaining: s.opts.MinRemaining, metrics: s.metrics.of(name)}
	if d, ok := s.opts.MinRemainingFor[name]; ok {
		m.minRemaining = d
	}
	return m
}

// Options returns the interceptors as options of grpc.NewServer. Put them
// before interceptors that do work.
func (s *Server) Options() []grpc.ServerOption {
	return []grpc.ServerOption{grpc.ChainUnaryInterceptor(s.Unary), grpc.ChainStreamInterceptor(s.Stream)}
}

// Unary is the interceptor of unary calls.
func (s *Server) Unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	m := s.methods.get(info.FullMethod)
	if err := s.admit(ctx, m); err != nil {
		return nil, err
	}
	c := s.watch.begin(ctx)
	defer s.end(ctx, m, c) // also if the handler panics
	return next(ctx, req)
}

// Stream is the interceptor of streams. A stream counts as worked on as long
// as its handler runs.
func (s *Server) Stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	ctx := stream.Context()
	m := s.methods.get(info.FullMethod)
	if err := s.admit(ctx, m); err != nil {
		return err
	}
	c := s.watch.begin(ctx)
	defer s.end(ctx, m, c)
	return next(srv, stream)
}

// admit counts the call as active, or says why it is refused.
func (s *Server) admit(ctx context.Context, m *serverMethod) error {
	if err := ctx.Err(); err != nil {
		return s.refuse(ctx, m, refusedGone, status.FromContextError(err).Err())
	}
	if deadline, ok := ctx.Deadline(); ok {
		remaining := time.Until(deadline)
		m.metrics.remaining(ctx, remaining)
		if remaining < m.minRemaining || remaining <= 0 {
			return s.refuse(ctx, m, refusedShort, status.Errorf(codes.DeadlineExceeded,
				"%v of the caller's time is left and %v is the least that an answer takes", remaining, m.minRemaining))
		}
	}
	if n := s.active.Add(1); s.opts.MaxActive > 0 && n > int64(s.opts.MaxActive) {
		s.active.Add(-1)
		return s.refuse(ctx, m, refusedFull, status.Errorf(codes.ResourceExhausted, "%d calls are being worked on", s.opts.MaxActive))
	}
	return nil
}

func (s *Server) refuse(ctx context.Context, m *serverMethod, why refusal, err error) error {
	m.metrics.refused(ctx, why)
	if log := s.opts.Logger; log != nil && log.Enabled(ctx, slog.LevelDebug) {
		log.LogAttrs(ctx, slog.LevelDebug, "call refused", append(LogAttrs(ctx), slog.String("method", m.name), slog.String("why", string(why)))...)
	}
	return err
}

// end measures what the handler did after its caller had left.
func (s *Server) end(ctx context.Context, m *serverMethod, c *watched) {
	s.active.Add(-1)
	gone := s.watch.end(c)
	err := ctx.Err()
	if err == nil {
		return
	}
	m.metrics.ended(ctx, err)
	zombie := time.Since(gone)
	if zombie <= 0 {
		return
	}
	m.metrics.zombie(ctx, zombie)
	if log := s.opts.Logger; log != nil {
		log.LogAttrs(ctx, slog.LevelWarn, "worked on after the caller left", append(LogAttrs(ctx), slog.String("method", m.name), slog.Duration("after", zombie))...)
	}
}
