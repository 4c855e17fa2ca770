// Package generated implements interfaces that generators make, whose methods
// are handlers.
package generated

import (
	"context"
	"database/sql"

	"frameworks/generated/openapi"
	"frameworks/generated/shoppb"
	"frameworks/generated/thriftgen"
)

var db *sql.DB

type server struct{}

func (s *server) Buy(ctx context.Context, o *shoppb.Order) (*shoppb.Order, error) {
	return o, db.PingContext(context.Background()) // want `^context\.Background\(\) in server\.Buy cuts DB\.PingContext off from the request's deadline; use ctx \(CTX101\)$`
}

func (s *server) Find(ctx context.Context, o *shoppb.Order) (*shoppb.Order, error) {
	return o, db.PingContext(context.Background()) // want `off from the request's deadline; use ctx \(CTX101\)$`
}

func (s *server) Pay(ctx context.Context, p *thriftgen.Payment) (*thriftgen.Payment, error) {
	return p, db.PingContext(context.Background()) // want `off from the request's deadline; use ctx \(CTX101\)$`
}

func (s *server) List(ctx context.Context, r openapi.ListRequestObject) (openapi.ListResponseObject, error) {
	return nil, db.PingContext(context.Background()) // want `off from the request's deadline; use ctx \(CTX101\)$`
}

// Warm is of an interface that no generator registers.
func (s *server) Warm(ctx context.Context, o *shoppb.Order) error {
	return db.PingContext(context.Background()) // want `off from the caller's deadline; use ctx \(CTX101\)$`
}
