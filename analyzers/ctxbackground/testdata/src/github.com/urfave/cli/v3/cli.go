// Package cli has of the real one what the tests call.
package cli

type Command struct{}
