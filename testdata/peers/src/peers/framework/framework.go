// Package framework has handlers of gin, whose own context has the methods of
// one and does not end with the request.
package framework

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
	Save(ctx context.Context, id string) error
}

var s store

// routes makes the engine without the switch that lets its contexts end: one
// fault, whatever handlers rely on it.
func routes() *gin.Engine {
	r := gin.New() // want `framework\.Handed hands its on to work such as store\.Load; set it, or use c\.Request\.Context\(\) \(CTX104\)`
	r.GET("/fresh", Fresh)
	return r
}

// Fresh is told of the request's context, and not of gin's.
func Fresh(c *gin.Context) {
	_, _ = s.Load(context.Background(), "1") // want `use c\.Request\.Context\(\) \(CTX101\)`
}

// Handed hands gin's own context on as if it ended, for which the engine is
// to blame.
func Handed(c *gin.Context) {
	_, _ = s.Load(c, "1")
}

// HandedDerived derives from it, and has a deadline at least: left alone.
func HandedDerived(c *gin.Context) {
	ctx, cancel := context.WithTimeout(c, time.Second)
	defer cancel()
	_, _ = s.Load(ctx, "1")
}

// Request hands on the right one.
func Request(c *gin.Context) {
	_, _ = s.Load(c.Request.Context(), "1")
}

// Below has a context variable, with the right one in it.
func Below(c *gin.Context) {
	ctx := c.Request.Context()
	_, _ = load(ctx, "1")
}

func load(ctx context.Context, id string) (string, error) { return s.Load(ctx, id) }

// Copied goes on after the handler with a copy, which does not detach: the
// request in it is the same.
func Copied(c *gin.Context) {
	cp := c.Copy()
	go func() { // want `CTX105`
		_ = s.Save(cp.Request.Context(), "1")
	}()
}

// Detached has a deadline of its own.
func Detached(c *gin.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request.Context()), time.Minute)
	go func() {
		defer cancel()
		_ = s.Save(ctx, "1")
	}()
}
