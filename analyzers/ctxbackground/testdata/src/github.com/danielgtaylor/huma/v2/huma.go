// Package huma has of the real one what the tests call.
package huma

import "context"

type API interface{ Adapter() any }

type Operation struct{ Path string }

func Register[I, O any](api API, op Operation, handler func(context.Context, *I) (*O, error)) {}

func Get[I, O any](api API, path string, handler func(context.Context, *I) (*O, error)) {}
