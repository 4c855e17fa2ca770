// Package never has fiber and fasthttp handlers, and nothing in it asks for the
// context for users, which is context.Background() unless somebody sets one: a
// fresh context loses nothing.
package never

import (
	"context"
	"database/sql"

	fiber2 "github.com/gofiber/fiber/v2"
	fiber3 "github.com/gofiber/fiber/v3"
	"github.com/valyala/fasthttp"
)

var db *sql.DB

func Fresh(c *fiber2.Ctx) error { return db.PingContext(context.Background()) }

func FreshThree(c fiber3.Ctx) error { return db.PingContext(context.Background()) }

// Fast has a context that ends with the server only.
func Fast(ctx *fasthttp.RequestCtx) { _ = db.PingContext(context.Background()) }

// Severed calls what makes its own context.
func Severed(c *fiber2.Ctx) error { return own() }

func own() error { return db.PingContext(context.Background()) }
