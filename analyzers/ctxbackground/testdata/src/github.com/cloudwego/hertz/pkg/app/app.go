// Package app has of the real one what the tests call.
package app

type RequestContext struct{}
