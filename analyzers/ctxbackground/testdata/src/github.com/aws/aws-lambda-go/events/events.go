// Package events has of the real one what the tests call.
package events

type SQSEvent struct{}
