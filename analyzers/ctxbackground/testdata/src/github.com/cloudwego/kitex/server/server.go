// Package server has of the real one what the tests call.
package server

type Server interface{ Run() error }

type Option struct{}
