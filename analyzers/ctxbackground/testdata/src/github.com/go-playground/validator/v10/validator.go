// Package validator has of the real one what the tests call.
package validator

import "context"

type Validate struct{}

func (v *Validate) StructCtx(ctx context.Context, s any) error { return nil }
