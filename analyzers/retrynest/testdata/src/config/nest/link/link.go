// Package link dials, with a limit on attempts or without.
package link

import (
	"fmt"

	"google.golang.org/grpc"
)

func policy(service string) string {
	return fmt.Sprintf(`{"methodConfig": [{"name": [{"service": "shop.v1.%s"}], "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`, service) // want `maxAttempts 4 has the effect of 2`
}

func Stock() (*grpc.ClientConn, error) {
	return grpc.NewClient("x", grpc.WithDefaultServiceConfig(policy("Stock")), grpc.WithMaxCallAttempts(2))
}

func Orders(n int) (*grpc.ClientConn, error) {
	return grpc.NewClient("x", grpc.WithDefaultServiceConfig(policy("Orders")), grpc.WithMaxCallAttempts(n))
}

func Carts() (*grpc.ClientConn, error) {
	return grpc.NewClient("x", grpc.WithDefaultServiceConfig(policy("Carts")), grpc.WithMaxCallAttempts(4))
}
