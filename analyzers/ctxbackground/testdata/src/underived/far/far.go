// Package far blocks on what another package's helper returned: the helper
// has been reported there, as CTX106, so this call is not reported again.
package far

import (
	"context"

	"underived/helper"
)

type store interface {
	Load(ctx context.Context, id string) error
}

func Serve(ctx context.Context, s store) error {
	return s.Load(helper.WithUser(ctx, "u"), "1")
}

func Fine(ctx context.Context, s store) error {
	return s.Load(helper.WithTrace(ctx, "u"), "1")
}

// Root gets a root from a helper that had nothing better: the loss is here.
func Root(ctx context.Context, s store) error {
	return s.Load(helper.Root(), "1") // want `^context\.Background\(\) in far\.Root cuts store\.Load off from the caller's deadline; use ctx \(CTX101\)$`
}
