// Package closed closes its channels by a function for all types.
package closed

import "net/http"

type ticket struct{ n int }

type desk struct{ tickets []chan ticket }

func (d *desk) take() chan ticket {
	c := make(chan ticket)
	d.tickets = append(d.tickets, c)
	return c
}

func end[T any](c chan T) { closed(c) }

func closed[C chan T, T any](c C) { close(c) }

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for range d.take() { // silent: somebody ends it
		w.WriteHeader(http.StatusOK)
	}
}
