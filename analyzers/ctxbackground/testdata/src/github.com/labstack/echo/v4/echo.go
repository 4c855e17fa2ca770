// Package echo has of the real one what the tests call.
package echo

import "net/http"

type Context interface {
	Request() *http.Request
	Get(key string) any
}

type HandlerFunc func(c Context) error
