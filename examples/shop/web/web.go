// Package web answers the shop's HTTP requests.
package web

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"time"

	"github.com/ctxprop/ctxprop/examples/shop/store"
	"github.com/ctxprop/ctxprop/examples/shop/suggest"
)

// New returns the handler of the whole service.
func New(s *store.Store) http.Handler {
	shop := &shop{store: s, suggest: suggest.New(s)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /stock/{item}", shop.stock)
	mux.HandleFunc("GET /suggestions/{customer}", shop.suggestions)
	mux.HandleFunc("GET /favourites", localized(shop.favourites))
	mux.HandleFunc("GET /orders/{customer}", shop.orders)
	mux.HandleFunc("POST /orders/{customer}/{item}", shop.order)
	return mux
}

type shop struct {
	store   *store.Store
	suggest *suggest.Engine
}

// stock has the plainest fault: the request's context is at hand, and the
// query runs on another one. A customer who gives up leaves the query running.
func (s *shop) stock(w http.ResponseWriter, r *http.Request) {
	n, err := s.store.Stock(context.Background(), r.PathValue("item"))
	reply(w, n, err)
}

// suggestions looks right, and no line of it names a context: the one that is
// lost is lost two packages away.
func (s *shop) suggestions(w http.ResponseWriter, r *http.Request) {
	items, err := s.suggest.For(r.PathValue("customer"))
	reply(w, items, err)
}

// favourites is right: it uses the request's context. But localized has put
// another one into the request.
func (s *shop) favourites(w http.ResponseWriter, r *http.Request) {
	items, err := s.store.Favourites(r.Context(), language(r.Context()))
	reply(w, items, err)
}

// orders is right: the query ends with the request.
func (s *shop) orders(w http.ResponseWriter, r *http.Request) {
	items, err := s.store.Orders(r.Context(), r.PathValue("customer"))
	reply(w, items, err)
}

// order is right, although two of the contexts below are fresh.
func (s *shop) order(w http.ResponseWriter, r *http.Request) {
	ctx, customer, item := r.Context(), r.PathValue("customer"), r.PathValue("item")
	if err := s.store.Reserve(ctx, item); err != nil {
		reply(w, nil, err)
		return
	}
	if err := s.store.Order(ctx, customer, item); err != nil {
		s.release(item)
		reply(w, nil, err)
		return
	}
	go s.receipt(customer, item)
	reply(w, item, nil)
}

// release gives a reserved item back. It runs when the order failed, perhaps
// because the request's context is done: on that one, nothing would be released.
func (s *shop) release(item string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := s.store.Release(ctx, item); err != nil {
		log.Printf("release %s: %v", item, err)
	}
}

// receipt records that a receipt is to be sent. Nobody waits for it, and it
// has a deadline of its own: it may outlive the request that started it.
func (s *shop) receipt(customer, item string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := s.store.Receipt(ctx, customer, item); err != nil {
		log.Printf("receipt for %s: %v", customer, err)
	}
}

func reply(w http.ResponseWriter, v any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if err := json.NewEncoder(w).Encode(v); err != nil {
		log.Printf("reply: %v", err)
	}
}
