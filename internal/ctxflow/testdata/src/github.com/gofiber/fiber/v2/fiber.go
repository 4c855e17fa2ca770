// Package fiber has of the real one what the tests call.
package fiber

import (
	"context"

	"github.com/valyala/fasthttp"
)

type Ctx struct{}

func (c *Ctx) Context() *fasthttp.RequestCtx      { return nil }
func (c *Ctx) UserContext() context.Context       { return nil }
func (c *Ctx) SetUserContext(ctx context.Context) {}
func (c *Ctx) Params(key string) string           { return "" }

type Handler = func(*Ctx) error
