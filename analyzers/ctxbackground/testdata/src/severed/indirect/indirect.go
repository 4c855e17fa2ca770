// Package indirect reaches its losses by ways that no call expression shows.
package indirect

import (
	"context"
	"iter"
	"net/http"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
}

// A wrapper makes a handler of a function that has neither request nor context.

type call struct {
	w http.ResponseWriter
	s store
}

func wrap(s store, f func(*call) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := f(&call{w: w, s: s}); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}
}

func get(c *call) error {
	_, err := c.s.Load(context.Background(), "1") // want `indirect.get makes its own context .*\(CTX102\)`
	return err
}

func routes(mux *http.ServeMux, s store) { mux.HandleFunc("/", wrap(s, get)) }

// unused has the same shape, and nobody hands it to a wrapper.
func unused(c *call) error {
	_, err := c.s.Load(context.Background(), "1")
	return err
}

// A function returns the iterator that makes the loss.

func pages(s store) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			page, err := s.Load(context.Background(), "page") // want `\(CTX102\)`
			if err != nil || !yield(page) {
				return
			}
		}
	}
}

type lister struct{ s store }

func (l *lister) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for range pages(l.s) {
	}
	next := counter(l.s)
	next()
}

func counter(s store) func() {
	return func() {
		_, _ = s.Load(context.Background(), "next") // want `\(CTX102\)`
	}
}

// A method is called through a type parameter.

type loader interface{ load() error }

type sql struct{ s store }

func (q sql) load() error {
	_, err := q.s.Load(context.Background(), "sql") // want `sql.load makes its own context .*\(CTX102\)`
	return err
}

func run[L loader](l L) error { return l.load() }

func (l *lister) generic(w http.ResponseWriter, r *http.Request) { _ = run(sql{l.s}) }

// A receiver that is made for one request keeps nothing for the next.

type page struct {
	s     store
	title string
}

func (p *page) fill() (err error) {
	p.title, err = p.s.Load(context.Background(), "title") // want `page.fill makes its own context .*\(CTX102\)`
	return err
}

func (l *lister) page(w http.ResponseWriter, r *http.Request) {
	p := &page{s: l.s}
	_ = p.fill()
}
