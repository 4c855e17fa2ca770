// Package cobra has of the real one what the tests call.
package cobra

import "context"

type Command struct {
	Use  string
	Run  func(cmd *Command, args []string)
	RunE func(cmd *Command, args []string) error
	ctx  context.Context
}

func (c *Command) Context() context.Context { return c.ctx }
