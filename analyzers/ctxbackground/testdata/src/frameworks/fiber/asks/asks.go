// Package asks has fiber handlers, one of which asks for the context that a
// middleware has set: then the others have forgotten to.
package asks

import (
	"context"
	"database/sql"

	fiber2 "github.com/gofiber/fiber/v2"
	fiber3 "github.com/gofiber/fiber/v3"
)

var db *sql.DB

func Right(c *fiber2.Ctx) error { return db.PingContext(c.UserContext()) }

func RightThree(c fiber3.Ctx) error { return db.PingContext(c.Context()) }

func Fresh(c *fiber2.Ctx) error {
	return db.PingContext(context.Background()) // want `^context\.Background\(\) in asks\.Fresh cuts DB\.PingContext off from the caller's deadline; use c\.UserContext\(\) \(CTX101\)$`
}

func FreshThree(c fiber3.Ctx) error {
	return db.PingContext(context.Background()) // want `use c\.Context\(\) \(CTX101\)$`
}

// Deaf hands on a context that ends when the server does. There is none that
// would end earlier.
func Deaf(c *fiber2.Ctx) error { return db.PingContext(c.Context()) }

func DeafThree(c fiber3.Ctx) error { return db.PingContext(c) }
