// Package river has of the real one what the tests call.
package river

type Job[T any] struct{ Args T }
