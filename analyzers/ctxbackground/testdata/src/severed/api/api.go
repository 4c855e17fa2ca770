// Package api closes the losses of the packages below it.
package api

import (
	"context"

	"google.golang.org/grpc"

	"severed/mid"
	"severed/store"
)

type server struct {
	mid   *mid.Service
	store *store.Store
}

// Unary reaches two homes over three packages: one finding for each.
func (s *server) Unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if err := s.mid.Recommend("1"); err != nil { // want `^store\.Store\.query makes its own context \(store/store\.go:14\): Driver\.Query there can outlive the caller of server\.Unary; give it a ctx \(CTX102\)$` `^store\.Store\.Both makes its own context \(store/store\.go:18\): Driver\.Query \(and 1 more\)`
		return nil, err
	}
	return handler(ctx, req)
}

// Contract reaches the same ones: a package reports a home once, at its best
// graded caller.
func (s *server) Contract(ctx context.Context) error { return s.store.Profile("2") }

// Fine passes its context on.
func (s *server) Fine(ctx context.Context) error { return s.store.Fine(ctx) }

// NoContext has none to give.
func (s *server) NoContext() error { return s.store.Profile("3") }
