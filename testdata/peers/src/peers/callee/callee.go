// Package callee has functions that make their own context, reached in every
// way in which Go calls a function.
package callee

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
}

var s store

// profile is called from many places. It is one fault, and one finding.
func profile(id string) (string, error) {
	return s.Load(context.Background(), id) // want `callee.profile makes its own context from context.Background\(\): store.Load can outlive the caller of callee.Many.*; give profile a ctx \(CTX102\)`
}

// Many reaches it three times, and other handlers do.
func Many(w http.ResponseWriter, r *http.Request) {
	_, _ = profile("1")
	_, _ = profile("2")
	_, _ = profile("3")
}

func ManyMore(w http.ResponseWriter, r *http.Request) { _, _ = profile("4") }

func ManyBelow(w http.ResponseWriter, r *http.Request) { _, _ = below("5") }

func below(id string) (string, error) { return profile(id) }

// The chain: no function on the way has a context.

func first() error  { return second() }
func second() error { return third() }
func third() error {
	_, err := s.Load(context.Background(), "1") // want `callee.third makes its own context .*CTX102`
	return err
}

func Chain(ctx context.Context) error { return first() }

// An interface with one implementation.

type loader interface{ load(id string) error }

type rows struct{}

func (rows) load(id string) error {
	_, err := s.Load(context.Background(), id) // want `CTX102`
	return err
}

func Interface(ctx context.Context) error {
	var l loader = rows{}
	return l.load("1")
}

// A function value in a local.

func valued(id string) error {
	_, err := s.Load(context.Background(), id) // want `CTX102`
	return err
}

func Value(ctx context.Context) error {
	f := valued
	return f("1")
}

// A function value in an unexported field.

func fielded(id string) error {
	_, err := s.Load(context.Background(), id) // want `CTX102`
	return err
}

type worker struct{ do func(id string) error }

func newWorker() *worker { return &worker{do: fielded} }

func (w *worker) Field(ctx context.Context) error { return w.do("1") }

// A method value.

type repo struct{}

func (repo) byID(id string) error {
	_, err := s.Load(context.Background(), id) // want `CTX102`
	return err
}

func MethodValue(ctx context.Context) error {
	f := repo{}.byID
	return f("1")
}

// A generic helper.

func generic[T any](v T) (T, error) {
	_, err := s.Load(context.Background(), "1") // want `CTX102`
	return v, err
}

func Generic(ctx context.Context) error {
	_, err := generic(1)
	return err
}

// A closure that captures nothing, handed to a function that calls it.

func retry(f func() error) error { return errors.Join(f(), f()) }

func CaptureFree(ctx context.Context) error {
	return retry(func() error {
		_, err := s.Load(context.Background(), "1") // want `CTX101`
		return err
	})
}

// A closure that captures nothing and is returned.

func loadLater() func() error {
	return func() error {
		_, err := s.Load(context.Background(), "1") // want `CTX102`
		return err
	}
}

func Returned(ctx context.Context) error { return loadLater()() }

// Timer runs it for nobody: later, and not for this caller.
func Timer(ctx context.Context) {
	time.AfterFunc(time.Minute, func() { _, _ = s.Load(context.Background(), "1") })
}

// After runs it when the context has ended.
func After(ctx context.Context) {
	context.AfterFunc(ctx, func() { _, _ = s.Load(context.Background(), "1") })
}

var once sync.Once

// Once runs it for all who come after as well.
func Once(ctx context.Context) {
	once.Do(func() { _, _ = s.Load(context.Background(), "1") })
}

// Functions that call each other: whoever is entered first, the fault is the same.

func even(n int) error {
	if n == 0 {
		_, err := s.Load(context.Background(), "1") // want `CTX102`
		return err
	}
	return odd(n - 1)
}

func odd(n int) error {
	if n == 0 {
		return nil
	}
	return even(n - 1)
}

func EvenFirst(ctx context.Context) error { return even(4) }

func OddFirst(ctx context.Context) error { return odd(4) }

// A helper that makes the context for others.

func newContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), time.Second)
}

func FromHelper(ctx context.Context) error {
	c, cancel := newContext() // want `in callee.FromHelper cuts store.Load off .*; use ctx \(CTX101\)`
	defer cancel()
	_, err := s.Load(c, "1")
	return err
}

// A function that takes a context and returns another.

func scoped(ctx context.Context, id string) context.Context {
	return context.WithValue(context.Background(), key{}, id) // want `callee.scoped takes a context and returns one made from context.Background\(\): store.Load in callee.Scoped can outlive its caller; derive it from ctx \(CTX102\)`
}

type key struct{}

func Scoped(ctx context.Context) error {
	_, err := s.Load(scoped(ctx, "1"), "1")
	return err
}

// A function that returns a context, and beside it does its own work on a root.

func begin(ctx context.Context) (context.Context, error) {
	_, err := s.Load(context.Background(), "1") // want `CTX101`
	return context.WithValue(ctx, key{}, "1"), err
}

// A context in the literal of a struct that is used at once.

type options struct{ ctx context.Context }

func Literal(ctx context.Context) error {
	o := options{ctx: context.Background()} // want `CTX101`
	_, err := s.Load(o.ctx, "1")
	return err
}
