// Package process has commands of a program that gives them no context: they
// start its work, like main.
package process

import (
	"context"

	"github.com/spf13/cobra"
)

type store interface {
	Load(ctx context.Context, id string) error
}

func New(s store) *cobra.Command {
	return &cobra.Command{RunE: func(cmd *cobra.Command, args []string) error {
		return s.Load(context.Background(), "1") // silent: process-root
	}}
}

func command(cmd *cobra.Command, args []string) {
	if err := load(global); err != nil {
		panic(err)
	}
}

var global store

func load(s store) error {
	return s.Load(context.Background(), "1") // silent: process-root
}

// Helper has a command as well, though not the shape of one that is run.
func Helper(cmd *cobra.Command, s store) error {
	return s.Load(context.Background(), "1") // silent: process-root
}
