// Package shelfpb is shaped like what protoc-gen-go-grpc makes.
package shelfpb

import (
	"context"

	"google.golang.org/grpc"
)

type Item struct{ Key string }

type ShelfServer interface {
	Lookup(context.Context, *Item) (*Item, error)
	List(*Item, grpc.ServerStreamingServer[Item]) error
	Upload(grpc.ClientStreamingServer[Item, Item]) error
	Chat(grpc.BidiStreamingServer[Item, Item]) error
}

func RegisterShelfServer(s grpc.ServiceRegistrar, srv ShelfServer) {
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "Shelf"}, srv)
}
