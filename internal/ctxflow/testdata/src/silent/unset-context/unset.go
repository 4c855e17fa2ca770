// Package unset has fiber handlers. Nothing in it asks for the context for
// users, which is a root until some middleware sets another: to make a fresh one
// instead loses nothing that anybody is known to have set.
package unset

import (
	"context"

	fiber "github.com/gofiber/fiber/v2"
)

type store interface {
	Load(ctx context.Context, id string) error
}

type api struct{ store store }

func (a *api) get(c *fiber.Ctx) error {
	return a.store.Load(context.Background(), c.Params("id")) // silent: unset-context
}

func (a *api) list(c *fiber.Ctx) error { return a.all() }

func (a *api) all() error {
	return a.store.Load(context.Background(), "*") // silent: unset-context
}

// count has a context of its own, whatever its callers have.
func (a *api) count(ctx context.Context) error {
	return a.store.Load(context.Background(), "#") // reported: CTX101
}
