// Package echo has handlers of echo 4 and 5, whose context is no context.
package echo

import (
	"context"
	"database/sql"
	"time"

	echo4 "github.com/labstack/echo/v4"
	echo5 "github.com/labstack/echo/v5"
)

var db *sql.DB

func Fresh(c echo4.Context) error {
	return db.PingContext(context.Background()) // want `^context\.Background\(\) in echo\.Fresh cuts DB\.PingContext off from the request's deadline; use c\.Request\(\)\.Context\(\) \(CTX101\)$`
}

func Five(c *echo5.Context) error {
	return db.PingContext(context.Background()) // want `use c\.Request\(\)\.Context\(\) \(CTX101\)$`
}

// Params come from generated wrappers.
func Wrapped(c echo4.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // want `^context\.Background\(\) in echo\.Wrapped cuts DB\.PingContext off from the request's deadline; use c\.Request\(\)\.Context\(\) \(CTX101\)$`
	defer cancel()
	return db.PingContext(ctx)
}

func Middleware(next echo4.HandlerFunc) echo4.HandlerFunc {
	return func(c echo4.Context) error {
		if err := db.PingContext(context.Background()); err != nil { // want `use c\.Request\(\)\.Context\(\) \(CTX101\)$`
			return err
		}
		return next(c)
	}
}

func Right(c echo4.Context) error {
	ctx := c.Request().Context()
	return db.PingContext(ctx)
}

func RightFive(c *echo5.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), time.Second)
	defer cancel()
	return db.PingContext(ctx)
}

// Below is reached from a handler, with the context of its request.
func Above(c echo4.Context) error { return below(c.Request().Context()) }

func below(ctx context.Context) error {
	return db.PingContext(context.Background()) // want `^context\.Background\(\) in echo\.below cuts DB\.PingContext off from the deadline of the request in echo\.Above; use ctx \(CTX101\)$`
}

// Severed calls what makes its own context.
func Severed(c echo4.Context) error { return own() }

func own() error {
	return db.PingContext(context.Background()) // want `^echo\.own makes its own context from context\.Background\(\): DB\.PingContext can outlive the caller of echo\.Severed; give own a ctx \(CTX102\)$`
}

// Detached goes on after its request, and says so with a deadline.
func Detached(c echo4.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), time.Minute)
	go func() {
		defer cancel()
		_ = db.PingContext(ctx)
	}()
	return nil
}

// Outlived is cancelled as soon as the handler returns.
func Outlived(c echo4.Context) error {
	ctx := c.Request().Context()
	go func() { _ = db.PingContext(ctx) }() // want `^echo\.Outlived starts DB\.PingContext on the request's context and does not wait for it: .* \(CTX105\)$`
	return nil
}

// Copied gives a root a value of the request.
func Copied(c echo4.Context) error {
	return db.PingContext(context.WithValue(context.Background(), user{}, c.Get("user")))
}

type user struct{}

// Custom adds to the framework's context.
type Custom struct {
	echo4.Context
	User string
}

func Handle(c *Custom) error {
	return db.PingContext(context.Background()) // want `^context\.Background\(\) in echo\.Handle cuts DB\.PingContext off from the caller's deadline; use c\.Request\(\)\.Context\(\) \(CTX101\)$`
}
