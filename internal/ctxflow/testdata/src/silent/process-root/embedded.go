package process

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"
)

// Commands are given a context by the type that they are given.
func Commands(s store) *cli.Command {
	return &cli.Command{Name: "load", Action: func(c *cli.Context) error {
		if err := load(s); err != nil {
			return err
		}
		time.Sleep(time.Second)                  // silent: process-root
		return s.Load(context.Background(), "2") // silent: process-root
	}}
}

func execute(c *cli.Context) error { return work(global) }

func work(s store) error {
	time.Sleep(time.Second) // silent: process-root
	return nil
}
