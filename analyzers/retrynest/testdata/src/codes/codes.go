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

var transient = []codes.Code{
	codes.Unavailable,
	codes.ResourceExhausted, // want `the interceptor of codes.elsewhere repeats`
}

var changed = []codes.Code{codes.ResourceExhausted}

func list() []codes.Code {
	return []codes.Code{codes.DataLoss} // want `the interceptor of codes.elsewhere repeats`
}

// A list may be needed for something else, and is not edited.
func elsewhere() []retry.CallOption {
	local := list()
	return []retry.CallOption{
		retry.WithCodes(transient...),
		retry.WithCodes(local...),
		retry.WithCodes([]codes.Code{codes.Unimplemented}...), // want `CTX306`
	}
}

// These are what a retry is for; a list that may hold something else is not
// read; and another function of the package takes something else.
func harmless(more []codes.Code) []retry.CallOption {
	changed = more
	return []retry.CallOption{
		retry.WithCodes(codes.Unavailable, codes.Aborted, codes.Unknown, codes.Internal, codes.DeadlineExceeded, codes.Canceled),
		retry.WithCodes(),
		retry.WithCodes(changed...),
		retry.WithCodes(more...),
		retry.WithMax(8),
	}
}
