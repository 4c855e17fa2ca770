// Package slot has semaphores made of channels: what was taken can be given
// back at once.
package slot

import "context"

type limiter struct {
	slots  chan struct{}
	tokens chan struct{}
}

func (l *limiter) Do(ctx context.Context, do func()) {
	l.slots <- struct{}{} // reported: CTX203
	do()
	<-l.slots // silent: slot-returned
}

// Take is the other way round: the channel was filled before.
func (l *limiter) Take(ctx context.Context, do func()) {
	<-l.tokens // reported: CTX203
	do()
	l.tokens <- struct{}{} // silent: slot-returned
}

func (l *limiter) Release(ctx context.Context) {
	<-l.slots // silent: slot-returned
}

// Swap takes from one and gives to another.
func (l *limiter) Swap(ctx context.Context) {
	<-l.tokens            // reported: CTX203
	l.slots <- struct{}{} // reported: CTX203
}

// Deferred gives its slot back in a closure.
func (l *limiter) Deferred(ctx context.Context, do func()) {
	l.slots <- struct{}{} // reported: CTX203
	defer func() {
		<-l.slots // a defer is looked at for release only
	}()
	do()
}
