// Package endpoint has of the real one what the tests call.
package endpoint

import "context"

type Endpoint func(ctx context.Context, request any) (response any, err error)
