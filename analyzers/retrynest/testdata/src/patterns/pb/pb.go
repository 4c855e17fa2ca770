// Package pb is shaped like generated code.
package pb

import (
	"context"

	"google.golang.org/grpc"
)

const (
	Edge_Pass_FullMethodName   = "/shop.v1.Edge/Pass"
	Edge_Wrap_FullMethodName   = "/shop.v1.Edge/Wrap"
	Edge_Map_FullMethodName    = "/shop.v1.Edge/Map"
	Edge_Tell_FullMethodName   = "/shop.v1.Edge/Tell"
	Edge_Budget_FullMethodName = "/shop.v1.Edge/Budget"
	Order_Pass_FullMethodName  = "/shop.v1.Order/Pass"
	Order_Wrap_FullMethodName  = "/shop.v1.Order/Wrap"
	Order_Map_FullMethodName   = "/shop.v1.Order/Map"
	Order_Tell_FullMethodName  = "/shop.v1.Order/Tell"
	Stock_Get_FullMethodName   = "/shop.v1.Stock/Get"
	Price_Get_FullMethodName   = "/shop.v1.Price/Get"
)

type Msg struct{}

type EdgeClient interface {
	Pass(ctx context.Context, in *Msg, opts ...grpc.CallOption) (*Msg, error)
	Wrap(ctx context.Context, in *Msg, opts ...grpc.CallOption) (*Msg, error)
	Map(ctx context.Context, in *Msg, opts ...grpc.CallOption) (*Msg, error)
	Tell(ctx context.Context, in *Msg, opts ...grpc.CallOption) (*Msg, error)
	Budget(ctx context.Context, in *Msg, opts ...grpc.CallOption) (*Msg, error)
}

type EdgeServer interface {
	Pass(context.Context, *Msg) (*Msg, error)
	Wrap(context.Context, *Msg) (*Msg, error)
	Map(context.Context, *Msg) (*Msg, error)
	Tell(context.Context, *Msg) (*Msg, error)
	Budget(context.Context, *Msg) (*Msg, error)
}

func NewEdgeClient(cc grpc.ClientConnInterface) EdgeClient { return nil }

func RegisterEdgeServer(s grpc.ServiceRegistrar, srv EdgeServer) {}

type OrderClient interface {
	Pass(ctx context.Context, in *Msg, opts ...grpc.CallOption) (*Msg, error)
	Wrap(ctx context.Context, in *Msg, opts ...grpc.CallOption) (*Msg, error)
	Map(ctx context.Context, in *Msg, opts ...grpc.CallOption) (*Msg, error)
	Tell(ctx context.Context, in *Msg, opts ...grpc.CallOption) (*Msg, error)
}

type OrderServer interface {
	Pass(context.Context, *Msg) (*Msg, error)
	Wrap(context.Context, *Msg) (*Msg, error)
	Map(context.Context, *Msg) (*Msg, error)
	Tell(context.Context, *Msg) (*Msg, error)
}

func NewOrderClient(cc grpc.ClientConnInterface) OrderClient { return nil }

func RegisterOrderServer(s grpc.ServiceRegistrar, srv OrderServer) {}

type StockClient interface {
	Get(ctx context.Context, in *Msg, opts ...grpc.CallOption) (*Msg, error)
}

func NewStockClient(cc grpc.ClientConnInterface) StockClient { return nil }

type PriceClient interface {
	Get(ctx context.Context, in *Msg, opts ...grpc.CallOption) (*Msg, error)
}

func NewPriceClient(cc grpc.ClientConnInterface) PriceClient { return nil }
