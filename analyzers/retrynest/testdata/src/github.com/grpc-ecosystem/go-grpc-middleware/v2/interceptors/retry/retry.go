// Package retry stands for the real one, as far as these tests use it.
package retry

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
)

type CallOption struct{ grpc.CallOption }

func WithMax(n uint) CallOption { return CallOption{} }

func WithCodes(list ...codes.Code) CallOption { return CallOption{} }

func Disable() CallOption { return CallOption{} }

func UnaryClientInterceptor(opts ...CallOption) grpc.UnaryClientInterceptor { return nil }
