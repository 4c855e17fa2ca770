// Package shelfpb is what the generators make for a client.
package shelfpb

import (
	"context"

	"google.golang.org/grpc"
)

type Item struct{}

type ShelfClient interface {
	Lookup(ctx context.Context, in *Item, opts ...grpc.CallOption) (*Item, error)
	Watch(ctx context.Context, in *Item, opts ...grpc.CallOption) (Shelf_WatchClient, error)
}

type Shelf_WatchClient interface{ Recv() (*Item, error) }

type shelfClient struct{ cc grpc.ClientConnInterface }

func NewShelfClient(cc grpc.ClientConnInterface) ShelfClient { return &shelfClient{cc} }

func (c *shelfClient) Lookup(ctx context.Context, in *Item, opts ...grpc.CallOption) (*Item, error) {
	out := new(Item)
	return out, c.cc.Invoke(ctx, "/shelf.Shelf/Lookup", in, out, opts...)
}

func (c *shelfClient) Watch(ctx context.Context, in *Item, opts ...grpc.CallOption) (Shelf_WatchClient, error) {
	return nil, nil
}
