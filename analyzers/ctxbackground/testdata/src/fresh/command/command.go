// Package command has cobra commands: a context at hand and no request.
package command

import (
	"context"

	"github.com/spf13/cobra"
)

type store interface {
	Load(ctx context.Context, id string) (string, error)
}

func New(s store) *cobra.Command {
	return &cobra.Command{
		Use: "load",
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := s.Load(context.Background(), args[0]) // want `^context\.Background\(\) in command\.New cuts store\.Load off from the caller's deadline; use cmd\.Context\(\) \(CTX101\)$`
			return err
		},
	}
}

// ping uses its command's context, so this program has provided one.
func ping(cmd *cobra.Command, args []string) error {
	_, err := load.Load(cmd.Context(), args[0])
	return err
}

func run(cmd *cobra.Command, args []string) {
	_, _ = load.Load(context.Background(), args[0]) // want `use cmd\.Context\(\) \(CTX101\)$`
}

var load store
