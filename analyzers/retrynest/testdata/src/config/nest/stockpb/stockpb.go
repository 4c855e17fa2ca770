// Package stockpb is shaped like generated code.
package stockpb

import (
	"context"

	"google.golang.org/grpc"
)

type (
	Request struct{}
	Reply   struct{}
)

const Stock_Get_FullMethodName = "/shop.v1.Stock/Get"

type StockClient interface {
	Get(ctx context.Context, in *Request, opts ...grpc.CallOption) (*Reply, error)
}

type stockClient struct{ cc grpc.ClientConnInterface }

func NewStockClient(cc grpc.ClientConnInterface) StockClient { return &stockClient{cc} }

func (c *stockClient) Get(ctx context.Context, in *Request, opts ...grpc.CallOption) (*Reply, error) {
	out := new(Reply)
	err := c.cc.Invoke(ctx, Stock_Get_FullMethodName, in, out, opts...)
	return out, err
}

const Orders_Get_FullMethodName = "/shop.v1.Orders/Get"

type OrdersClient interface {
	Get(ctx context.Context, in *Request, opts ...grpc.CallOption) (*Reply, error)
}

type ordersClient struct{ cc grpc.ClientConnInterface }

func NewOrdersClient(cc grpc.ClientConnInterface) OrdersClient { return &ordersClient{cc} }

func (c *ordersClient) Get(ctx context.Context, in *Request, opts ...grpc.CallOption) (*Reply, error) {
	out := new(Reply)
	err := c.cc.Invoke(ctx, Orders_Get_FullMethodName, in, out, opts...)
	return out, err
}

const Carts_Get_FullMethodName = "/shop.v1.Carts/Get"

type CartsClient interface {
	Get(ctx context.Context, in *Request, opts ...grpc.CallOption) (*Reply, error)
}

type cartsClient struct{ cc grpc.ClientConnInterface }

func NewCartsClient(cc grpc.ClientConnInterface) CartsClient { return &cartsClient{cc} }

func (c *cartsClient) Get(ctx context.Context, in *Request, opts ...grpc.CallOption) (*Reply, error) {
	out := new(Reply)
	err := c.cc.Invoke(ctx, Carts_Get_FullMethodName, in, out, opts...)
	return out, err
}
