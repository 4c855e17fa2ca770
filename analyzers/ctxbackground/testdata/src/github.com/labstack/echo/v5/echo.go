// Package echo has of the real one what the tests call.
package echo

import "net/http"

type Context struct{ request *http.Request }

func (c *Context) Request() *http.Request { return c.request }

type HandlerFunc func(c *Context) error
