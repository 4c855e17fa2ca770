package ctxflow

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkPackage measures ctxflow on one package of services: handlers,
// methods, closures, goroutines, wrappers of contexts and a loss in each. Cost
// per function should not depend on the package's size.
func BenchmarkPackage(b *testing.B) {
	for _, services := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("services=%d", services), func(b *testing.B) {
			prog := load(b, generateServices(services))
			functions := 0
			b.ReportAllocs()
			for b.Loop() {
				functions = prog.analyze(b, Config{})["bench"].Functions
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(functions), "ns/function")
		})
	}
}

// BenchmarkChain measures one function at the end of long ways: calls that
// pass a context down, and a loss that comes up.
func BenchmarkChain(b *testing.B) {
	for _, depth := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) {
			prog := load(b, files{"bench/p.go": generateChain(depth)})
			b.ReportAllocs()
			for b.Loop() {
				prog.analyze(b, Config{})
			}
		})
	}
}

const servicesHeader = `package bench

import "context"

type sink interface { Load(ctx context.Context, id string) (string, error) }

func orDefault(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
`

const servicesImports = `package bench

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc"
)
`

const service = `
type service%[1]d struct { s sink; mu sync.Mutex; cache map[string]string }

func (x *service%[1]d) Get(ctx context.Context, id string) (string, error) {
	ctx, cancel := context.WithTimeout(orDefault(ctx), time.Second)
	defer cancel()
	x.mu.Lock()
	v, ok := x.cache[id]
	x.mu.Unlock()
	if ok {
		return v, nil
	}
	return x.s.Load(ctx, id)
}

func (x *service%[1]d) All(ctx context.Context, ids []string) (out []string, err error) {
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() {
			v, failed := x.Get(ctx, id)
			x.mu.Lock()
			defer x.mu.Unlock()
			if failed != nil {
				err = failed
				return
			}
			out = append(out, v)
		})
	}
	wg.Wait()
	return out, err
}

func (x *service%[1]d) refresh(id string) error {
	v, err := x.s.Load(context.Background(), id)
	if err != nil {
		return err
	}
	if v == "" {
		return x.refresh(id + "?")
	}
	return nil
}

func (x *service%[1]d) Handle(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if err := x.refresh("1"); err != nil {
		return nil, err
	}
	if _, err := x.All(ctx, []string{"1", "2"}); err != nil {
		return nil, err
	}
	return handler(ctx, req)
}
`

// generateServices writes 20 services to a file.
func generateServices(n int) files {
	out := files{"bench/p.go": servicesHeader}
	for i := range n {
		name := fmt.Sprintf("bench/p%d.go", i/20)
		if out[name] == "" {
			out[name] = servicesImports
		}
		out[name] += fmt.Sprintf(service, i)
	}
	return out
}

func generateChain(depth int) string {
	var b strings.Builder
	b.WriteString(`package bench

import "context"

type sink interface { Load(ctx context.Context, id string) error }

func Entry(ctx context.Context, s sink) error {
	if err := up0(s); err != nil {
		return err
	}
	return down0(ctx, s)
}
`)
	for i := range depth {
		fmt.Fprintf(&b, "func down%d(ctx context.Context, s sink) error { return down%d(ctx, s) }\n", i, i+1)
		fmt.Fprintf(&b, "func up%d(s sink) error { return up%d(s) }\n", i, i+1)
	}
	fmt.Fprintf(&b, `
func down%[1]d(ctx context.Context, s sink) error { return s.Load(ctx, "1") }
func up%[1]d(s sink) error { return s.Load(context.Background(), "1") }
`, depth)
	return b.String()
}
