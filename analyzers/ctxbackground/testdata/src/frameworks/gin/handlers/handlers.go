// Package handlers has gin handlers and makes no engine: whether its contexts
// end is the business of another package, and only the view of the whole
// program can tell.
package handlers

import (
	"context"
	"database/sql"

	"github.com/gin-gonic/gin"
)

var db *sql.DB

func Deaf(c *gin.Context) { _ = db.PingContext(c) }

func Fresh(c *gin.Context) {
	_ = db.PingContext(context.Background()) // want `use c\.Request\.Context\(\) \(CTX101\)$`
}

// Wrapped takes more than the context, as generated handlers do.
func Wrapped(c *gin.Context, id int64) error {
	return db.PingContext(context.TODO()) // want `^context\.TODO\(\) in handlers\.Wrapped cuts DB\.PingContext off from the request's deadline; use c\.Request\.Context\(\) \(CTX101\)$`
}

// Context adds to the framework's.
type Context struct {
	*gin.Context
	User string
}

func Own(c *Context) {
	_ = db.PingContext(context.Background()) // want `^context\.Background\(\) in handlers\.Own cuts DB\.PingContext off from the caller's deadline; use c\.Request\.Context\(\) \(CTX101\)$`
}

// Copied gives a root the values of the framework's context.
func Copied(c *gin.Context) {
	user, _ := c.Get("user")
	_ = db.PingContext(context.WithValue(context.Background(), userKey{}, user))
}

type userKey struct{}
