// Package tool has a command in a program that gives its commands no context:
// they are roots of the process, like main.
package tool

import (
	"context"

	"github.com/spf13/cobra"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
}

func New(s store) *cobra.Command {
	return &cobra.Command{RunE: func(cmd *cobra.Command, args []string) error {
		_, err := s.Load(context.Background(), args[0])
		return err
	}}
}
