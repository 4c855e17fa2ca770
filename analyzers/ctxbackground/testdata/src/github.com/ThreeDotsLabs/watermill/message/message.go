// Package message has of the real one what the tests call.
package message

import "context"

type Message struct{ UUID string }

func (m *Message) Context() context.Context { return nil }
