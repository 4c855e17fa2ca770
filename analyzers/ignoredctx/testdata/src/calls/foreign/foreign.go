// Package foreign calls a library of which nothing is known.
package foreign

import (
	"context"

	"external/lib"
)

func Use(ctx context.Context, addr string) error {
	c, err := lib.New(addr) // silent: it makes something, its sibling's context is likely for values
	if err != nil {
		return err
	}
	if err := c.Validate("1"); err != nil { // silent: it checks something where it is
		return err
	}
	return c.Fetch("1") // want `^Client\.Fetch in foreign\.Use .* use FetchWithContext with ctx \(CTX202\)$`
}
