// Package http has of the real one what the tests call.
package http

type Server struct{}
