// Package reply has replies that go into a buffer of their own.
package reply

import "context"

type ask struct {
	id    string
	reply chan string
}

type queue struct{ asks map[string]*ask }

func (q *queue) Add(id string) *ask {
	a := &ask{id: id, reply: make(chan string, 1)}
	q.asks[id] = a
	return a
}

func (q *queue) Answer(ctx context.Context, id string) {
	q.asks[id].reply <- "done" // silent: reply-buffer
}

type feed struct{ items chan string }

func newFeed(n int) *feed { return &feed{items: make(chan string, n)} }

// Put waits when the feed is full.
func (f *feed) Put(ctx context.Context, item string) {
	f.items <- item // reported: CTX203
}

type lock struct{ held chan struct{} }

func newLock() *lock { return &lock{held: make(chan struct{}, 1)} }

// Enter waits for who is inside, whatever the buffer.
func (l *lock) Enter(ctx context.Context) {
	l.held <- struct{}{} // reported: CTX203
}
