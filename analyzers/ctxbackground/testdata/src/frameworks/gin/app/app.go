// Package app is a gin service in one package: it makes its engine and leaves
// ContextWithFallback alone, so that a *gin.Context never ends.
package app

import (
	"context"
	"database/sql"
	"time"

	"github.com/gin-gonic/gin"
)

var db *sql.DB

type store interface {
	Load(ctx context.Context, id string) (string, error)
}

var shelf store

func Routes() *gin.Engine {
	r := gin.New() // want `^gin\.New\(\) in app\.Routes leaves Engine\.ContextWithFallback off, so a gin\.Context does not end with its request, and app\.Deaf and 2 more hand theirs on to work such as store\.Load; set it, or use c\.Request\.Context\(\) \(CTX104\)$`
	r.GET("/fresh", Fresh)
	r.GET("/closure", func(c *gin.Context) {
		_ = db.PingContext(context.Background()) // want `^context\.Background\(\) in app\.Routes cuts DB\.PingContext off from the request's deadline; use c\.Request\.Context\(\) \(CTX101\)$`
	})
	return r
}

func Fresh(c *gin.Context) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // want `^context\.Background\(\) in app\.Fresh cuts DB\.PingContext off from the request's deadline; use c\.Request\.Context\(\) \(CTX101\)$`
	defer cancel()
	_ = db.PingContext(ctx)
}

// Right asks for the context that ends with the request.
func Right(c *gin.Context) {
	_ = db.PingContext(c.Request.Context())
}

func Derived(c *gin.Context) {
	ctx, cancel := context.WithTimeout(c.Request.Context(), time.Second)
	defer cancel()
	_ = db.PingContext(ctx)
}

// Deaf hands on the framework's context, of which nothing ends: one of three
// functions that the finding on the engine counts.
func Deaf(c *gin.Context) {
	_, _ = shelf.Load(c, "1")
}

// Valued, the second, adds a value, which ends nothing either.
func Valued(c *gin.Context) {
	ctx := context.WithValue(c, key{}, "1")
	_, _ = shelf.Load(ctx, "1")
}

type key struct{}

// Limited gives the work a deadline of its own: it ends, if late.
func Limited(c *gin.Context) {
	ctx, cancel := context.WithTimeout(c, time.Second)
	defer cancel()
	_, _ = shelf.Load(ctx, "1")
}

// Asking has a helper that asks.
func Asking(c *gin.Context) {
	_, _ = shelf.Load(requestContext(c), "1")
}

func requestContext(c *gin.Context) context.Context { return c.Request.Context() }

// Handed gives the framework's value to a function that takes it, which may
// ask it; what it does counts there.
func Handed(c *gin.Context) {
	_ = load(c)
	_ = pass(c)
}

func load(c *gin.Context) error {
	_, err := shelf.Load(c.Request.Context(), "1")
	return err
}

// pass is the third.
func pass(c *gin.Context) error {
	_, err := shelf.Load(c, "1")
	return err
}

// Apart goes on after the handler: not ending with the request is what it needs
// (that gin recycles its contexts is another matter).
func Apart(c *gin.Context) {
	go func() { _, _ = shelf.Load(c.Copy(), "1") }()
}

// Rewritten is what a timeout middleware does.
func Rewritten(c *gin.Context) {
	ctx, cancel := context.WithTimeout(c.Request.Context(), time.Second)
	defer cancel()
	c.Request = c.Request.WithContext(ctx)
	_ = db.PingContext(c.Request.Context())
}
