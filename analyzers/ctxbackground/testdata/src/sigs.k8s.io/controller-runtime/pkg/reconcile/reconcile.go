// Package reconcile has of the real one what the tests call.
package reconcile

type Request struct{ Name string }

type Result struct{}
