// Package cli has of the real one what the tests name.
package cli

import "context"

// Context is a context as well, by embedding.
type Context struct {
	context.Context
	args []string
}

func (c *Context) Args() []string { return c.args }

type Command struct {
	Name   string
	Action func(*Context) error
}
