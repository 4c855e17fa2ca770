// Package ctx202 asks its database without the caller's context.
package ctx202

import (
	"context"
	"database/sql"

	"github.com/ctxprop/ctxprop/runtime/testdata/prove/orderspb"
)

type server struct {
	orderspb.UnimplementedOrdersServer
	db *sql.DB
}

func (s *server) Get(ctx context.Context, req *orderspb.GetRequest) (*orderspb.Order, error) {
	var id string
	if err := s.db.QueryRow("SELECT id FROM orders WHERE id = ?", req.GetId()).Scan(&id); err != nil {
		return nil, err
	}
	return &orderspb.Order{Id: id}, nil
}
