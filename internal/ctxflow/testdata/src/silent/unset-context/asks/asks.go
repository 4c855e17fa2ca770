// Package asks has a fiber handler that asks for the context for users, so that
// another which makes its own has forgotten to.
package asks

import (
	"context"

	fiber "github.com/gofiber/fiber/v2"
)

type store interface {
	Load(ctx context.Context, id string) error
}

func get(c *fiber.Ctx, s store) error { return s.Load(c.UserContext(), "1") }

func fresh(c *fiber.Ctx, s store) error {
	return s.Load(context.Background(), "1") // reported: CTX101
}
