// Package codes gives interceptors the codes to retry on.
package codes

import (
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/retry"
	"google.golang.org/grpc/codes"
)

func harmful() []retry.CallOption {
	return []retry.CallOption{
		retry.WithCodes(codes.ResourceExhausted, codes.Unavailable),                // want `the interceptor of codes.harmful repeats calls that failed with RESOURCE_EXHAUSTED, with which a server sheds load, so that retries feed the overload: take it out of retry.WithCodes \(CTX306\)`
		retry.WithCodes(codes.Unavailable, codes.NotFound, codes.InvalidArgument),  // want `failed with INVALID_ARGUMENT, NOT_FOUND, which the same request meets again: take them out of`
		retry.WithCodes(codes.NotFound, codes.ResourceExhausted, codes.Aborted, 3), // want `RESOURCE_EXHAUSTED, .*, and with INVALID_ARGUMENT, NOT_FOUND, which`
		retry.WithCodes(codes.ResourceExhausted),                                   // want `CTX306`
	}
}

var transient = []codes.Code{codes.ResourceExhausted}

// These are what a retry is for; a list that is written elsewhere is not read;
// and another function of the package takes something else.
func harmless(more []codes.Code) []retry.CallOption {
	return []retry.CallOption{
		retry.WithCodes(codes.Unavailable, codes.Aborted, codes.Unknown, codes.Internal, codes.DeadlineExceeded, codes.Canceled),
		retry.WithCodes(),
		retry.WithCodes(transient...),
		retry.WithCodes(more...),
		retry.WithMax(8),
	}
}
