// Package shoppb stands for what the generators of Twirp and Kratos make.
package shoppb

import (
	"context"
	"net/http"

	khttp "github.com/go-kratos/kratos/v2/transport/http"
)

type Order struct{ ID string }

type Shop interface {
	Buy(context.Context, *Order) (*Order, error)
}

type TwirpServer interface {
	http.Handler
	PathPrefix() string
}

func NewShopServer(svc Shop, opts ...interface{}) TwirpServer { return nil }

type StoreHTTPServer interface {
	Find(context.Context, *Order) (*Order, error)
}

func RegisterStoreHTTPServer(s *khttp.Server, srv StoreHTTPServer) {}

// Decorated is no registration: nothing of its interface's name is in its own.
type Cache interface {
	Warm(context.Context, *Order) error
}

func NewLoggingServer(next Cache, opts ...interface{}) TwirpServer { return nil }
