// Package thriftgen stands for what Kitex's generator makes.
package thriftgen

import (
	"context"

	"github.com/cloudwego/kitex/server"
)

type Payment struct{}

type PaymentService interface {
	Pay(ctx context.Context, p *Payment) (*Payment, error)
}

func NewServer(handler PaymentService, opts ...server.Option) server.Server { return nil }
