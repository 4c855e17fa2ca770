// Package http has of the real one what the tests call.
package http

import "github.com/go-kit/kit/endpoint"

type Server struct{}

func NewServer(e endpoint.Endpoint, dec, enc any) *Server { return nil }
