// Package asynq has of the real one what the tests call.
package asynq

import "context"

type Task struct{}

func (t *Task) Payload() []byte { return nil }

type Handler interface {
	ProcessTask(context.Context, *Task) error
}
