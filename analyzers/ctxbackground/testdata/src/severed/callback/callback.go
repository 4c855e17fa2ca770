// Package callback reaches a loss through a function that another package runs.
package callback

import (
	"context"

	"severed/mid"
	"severed/store"
)

func Closure(ctx context.Context, s *store.Store, ids []string) error {
	return mid.Each(ids, func(id string) error {
		return s.Profile(id) // want `^store\.Store\.query makes its own context .* caller of callback\.Closure;`
	})
}
