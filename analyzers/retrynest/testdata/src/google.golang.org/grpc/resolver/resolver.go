// Package resolver stands for the real one, as far as these tests use it.
package resolver

type ParseResult struct{ Err error }

type ClientConn interface {
	ParseServiceConfig(json string) *ParseResult
}
