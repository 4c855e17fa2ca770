// Package deep is given contexts.
package deep

import (
	"context"
	"log"
)

// Tag reads a value.
func Tag(ctx context.Context) { log.Print(ctx.Value("tag")) }

// Check asks.
func Check(ctx context.Context) {
	if ctx.Err() != nil {
		log.Print("gone")
	}
}
