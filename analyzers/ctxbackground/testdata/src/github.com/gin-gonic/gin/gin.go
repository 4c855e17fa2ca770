// Package gin has of the real one what the tests call.
package gin

import (
	"net/http"
	"time"
)

type Context struct {
	Request *http.Request
	engine  *Engine
}

func (c *Context) Deadline() (deadline time.Time, ok bool) { return }
func (c *Context) Done() <-chan struct{}                   { return nil }
func (c *Context) Err() error                              { return nil }
func (c *Context) Value(key any) any                       { return nil }
func (c *Context) Get(key string) (value any, ok bool)     { return nil, false }
func (c *Context) Copy() *Context                          { return c }

type HandlerFunc func(*Context)

type Engine struct{ ContextWithFallback bool }

func New() *Engine                                         { return &Engine{} }
func Default() *Engine                                     { return &Engine{} }
func (e *Engine) GET(path string, handlers ...HandlerFunc) {}
