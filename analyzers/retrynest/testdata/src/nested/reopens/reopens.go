// Package reopens has loops that open anew what they have read to its end.
package reopens

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

type events interface{ Next() (string, error) }

type source interface {
	Open(ctx context.Context, from string) (events, error)
}

// Follow never ends while all goes well, and tries again at once when it does not.
func Follow(ctx context.Context, s source, see func(string)) error {
	for ctx.Err() == nil { // want `CTX304`
		evs, err := s.Open(ctx, "")
		if err != nil {
			if status.Code(err) == codes.Unavailable {
				continue
			}
			return err
		}
		for {
			ev, err := evs.Next()
			if err != nil {
				break
			}
			see(ev)
		}
	}
	return ctx.Err()
}
