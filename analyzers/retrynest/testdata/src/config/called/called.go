// Package called has service configs beside the stubs that are called on their
// connections.
package called

import (
	"config/nest/stockpb"
	"google.golang.org/grpc"
)

const other = `{"methodConfig": [{"name": [{"service": "store.v2.Stock"}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}` // want `called.Other's service config: this service is not called on the connection, so the name matches nothing; did you mean shop.v1.Stock\? \(CTX307\)`

func Other() (stockpb.StockClient, error) {
	conn, err := grpc.NewClient("x", grpc.WithDefaultServiceConfig(other))
	if err != nil {
		return nil, err
	}
	return stockpb.NewStockClient(conn), nil
}

const others = `{"methodConfig": [{"name": [{"service": "store.v2.Stock"}, {"service": "store.v2.Orders"}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}` // want `called.Others's service config: all that is called on the connection is shop.v1.Orders and shop.v1.Stock, so the names in methodConfig match nothing \(CTX307\)`

func Others() (stockpb.StockClient, stockpb.OrdersClient, error) {
	conn, err := grpc.NewClient("x", grpc.WithDefaultServiceConfig(others))
	if err != nil {
		return nil, nil, err
	}
	return stockpb.NewStockClient(conn), stockpb.NewOrdersClient(conn), nil
}

// shared is the text of several connections.
const shared = `{"methodConfig": [{"name": [{"service": "store.v2.Stock"}, {"service": "shop.v1.Stock"}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

func Shared() (stockpb.StockClient, error) {
	conn, err := grpc.NewClient("x", grpc.WithDefaultServiceConfig(shared))
	if err != nil {
		return nil, err
	}
	return stockpb.NewStockClient(conn), nil
}

// everything is for all methods.
const everything = `{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

func Everything() (stockpb.StockClient, error) {
	conn, err := grpc.NewClient("x", grpc.WithDefaultServiceConfig(everything))
	if err != nil {
		return nil, err
	}
	return stockpb.NewStockClient(conn), nil
}

// Away gives the connection away: others may call what the config names.
const away = `{"methodConfig": [{"name": [{"service": "store.v2.Prices"}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

func Away() (stockpb.StockClient, *grpc.ClientConn, error) {
	conn, err := grpc.NewClient("x", grpc.WithDefaultServiceConfig(away))
	if err != nil {
		return nil, nil, err
	}
	return stockpb.NewStockClient(conn), conn, nil
}
