// Package context has of the real one what the tests call.
package context

import (
	"net/http"
	"time"
)

type Context struct{}

func (ctx *Context) Deadline() (deadline time.Time, ok bool) { return }
func (ctx *Context) Done() <-chan struct{}                   { return nil }
func (ctx *Context) Err() error                              { return nil }
func (ctx *Context) Value(key any) any                       { return nil }
func (ctx *Context) Request() *http.Request                  { return nil }
