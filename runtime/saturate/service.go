package saturate

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A service is one server of the scenario with its workers.
type service struct {
	w       *world
	index   int
	hop     Hop
	server  *grpc.Server
	network network
	workers *limiter
}

func newService(w *world, index int, hop Hop) *service {
	s := &service{w: w, index: index, hop: hop, workers: &limiter{order: hop.Order, bound: hop.Queue, free: hop.Workers}}
	opts := []grpc.ServerOption{
		grpc.WaitForHandlers(true), // a handler that outlives its server would freeze the bubble
		grpc.ChainUnaryInterceptor(s.unary),
		grpc.ChainStreamInterceptor(s.stream),
	}
	if hop.ServerOptions != nil {
		opts = append(opts, hop.ServerOptions()...)
	}
	s.server = grpc.NewServer(opts...)
	s.network = w.listen(s.server)
	return s
}

// register runs the user's function. It comes after all services have their
// network, so that one can dial the next.
func (s *service) register() {
	r := &registrar{Server: s.server, impls: map[string]string{}}
	s.hop.Register(r, &Deps{w: s.w, service: s})
	if len(r.impls) == 0 {
		panic(setupError(fmt.Sprintf("%s: Register registered no service on s", s.hop.Name)))
	}
	for method, impl := range r.impls {
		s.w.impls[method] = impl
	}
	s.network.serve()
}

// A registrar remembers which Go method serves which gRPC method.
type registrar struct {
	*grpc.Server
	impls map[string]string // full method to the name that go/types gives the method, "" if unknown
}

func (r *registrar) RegisterService(desc *grpc.ServiceDesc, impl any) {
	r.Server.RegisterService(desc, impl)
	name := func(method string) {
		of := "" // unknown where the service description has no implementation
		if t := reflect.TypeOf(impl); t != nil {
			of = fmt.Sprintf("(%s).%s", typeName(t), method)
		}
		r.impls["/"+desc.ServiceName+"/"+method] = of
	}
	for _, m := range desc.Methods {
		name(m.MethodName)
	}
	for _, m := range desc.Streams {
		name(m.StreamName)
	}
}

func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		return "*" + typeName(t.Elem())
	}
	if t.PkgPath() == "" {
		return t.String()
	}
	return t.PkgPath() + "." + t.Name()
}

func (s *service) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (resp any, err error) {
	ctx, leave, err := s.enter(ctx, info.FullMethod)
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = s.panicked(info.FullMethod, p)
		}
		leave()
	}()
	return next(ctx, req)
}

func (s *service) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	ctx, leave, err := s.enter(ss.Context(), info.FullMethod)
	if err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = s.panicked(info.FullMethod, p)
		}
		leave()
	}()
	return next(srv, streamWith{ss, ctx})
}

type streamWith struct {
	grpc.ServerStream
	ctx context.Context
}

func (s streamWith) Context() context.Context { return s.ctx }

// enter waits for a worker. The function that it returns frees it.
func (s *service) enter(ctx context.Context, method string) (context.Context, func(), error) {
	a := s.w.sender(ctx)
	waiting := ctx
	if s.hop.KeepGone {
		waiting = context.WithoutCancel(ctx)
	}
	if err := s.workers.acquire(waiting); err != nil {
		if err == errFull {
			s.w.record(func(r *record) { r.services[s.index].shed++ })
			return nil, nil, status.Errorf(codes.ResourceExhausted, "%s: all workers are busy and the queue is full", s.hop.Name)
		}
		return nil, nil, status.FromContextError(err).Err()
	}
	from := time.Now()
	r := s.w.record(func(r *record) {
		r.services[s.index].handled++
		r.methods[method] = true
		r.services[s.index].busy(1)
	})
	return context.WithValue(ctx, attemptKey{}, a), func() {
		s.w.mu.Lock()
		r.services[s.index].busy(-1)
		r.services[s.index].spans = append(r.services[s.index].spans, span{from, time.Now(), a})
		s.w.mu.Unlock()
		s.workers.release()
		s.w.progress.Add(1)
	}, nil
}

func (s *service) panicked(method string, p any) error {
	s.w.fail(fmt.Sprintf("the handler of %s panicked: %v, at %s", method, p, userFrame(string(debug.Stack()))))
	return status.Errorf(codes.Internal, "handler panicked: %v", p)
}

// userFrame returns function and place of the first frame below a panic that
// is neither the runtime's nor this package's.
func userFrame(stack string) string {
	if _, below, ok := strings.Cut(stack, "\npanic("); ok {
		_, stack, _ = strings.Cut(below, "\n") // the rest of the line
	}
	return firstFrame(stack, "runtime.", "runtime/", "panic(")
}

// firstFrame returns the first function and place of a goroutine's trace whose
// name begins with none of the prefixes.
func firstFrame(trace string, skip ...string) string {
	lines := strings.Split(trace, "\n")
	for i := 0; i+1 < len(lines); i++ {
		place, ok := strings.CutPrefix(lines[i+1], "\t")
		if !ok || strings.HasPrefix(lines[i], "\t") || hasAnyPrefix(lines[i], skip) {
			continue
		}
		fn := lines[i]
		if at := strings.LastIndexByte(fn, '('); at > 0 {
			fn = fn[:at]
		}
		place, _, _ = strings.Cut(place, " +0x")
		return strings.TrimPrefix(fn, "created by ") + " (" + place + ")"
	}
	return "an unknown place"
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
