// Package fasthttp has of the real one what the tests call.
package fasthttp

import "time"

type RequestCtx struct{}

func (ctx *RequestCtx) Deadline() (deadline time.Time, ok bool) { return }
func (ctx *RequestCtx) Done() <-chan struct{}                   { return nil }
func (ctx *RequestCtx) Err() error                              { return nil }
func (ctx *RequestCtx) Value(key any) any                       { return nil }
