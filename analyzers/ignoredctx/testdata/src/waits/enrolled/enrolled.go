// Package enrolled waits on channels that its own functions make, enter among
// others, and return: subscriptions, and the places of replies.
package enrolled

import (
	"context"
	"net/http"
	"sync"
)

type hub struct {
	mu   sync.Mutex
	subs map[chan string]bool
}

// join's channels are never closed: who leaves deletes his own.
func (h *hub) join() chan string {
	c := make(chan string, 8)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subs[c] = true
	return c
}

func (h *hub) leave(c chan string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.subs, c)
}

func (h *hub) publish(s string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.subs {
		c <- s // silent: no context is at hand
	}
}

func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	events := h.join()
	defer h.leave(events)
	for ev := range events { // want `^the receive from hub\.join in hub\.ServeHTTP goes on past the request's deadline; wait for r\.Context\(\)\.Done\(\) as well \(CTX203\)$`
		_, _ = w.Write([]byte(ev))
	}
}

func (h *hub) first(w http.ResponseWriter, r *http.Request) {
	events := h.join()
	defer h.leave(events)
	select { // silent: Done ends it
	case ev := <-events:
		_, _ = w.Write([]byte(ev))
	case <-r.Context().Done():
	}
}

// Work goes over a subscription for the life of its owner.
func (h *hub) Work(ctx context.Context, do func(string)) {
	for ev := range h.join() { // silent: no request is known to wait
		do(ev)
	}
}

type feed struct {
	mu   sync.Mutex
	subs []chan int
}

// open's channels are closed with the feed.
func (f *feed) open() <-chan int {
	c := make(chan int)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subs = append(f.subs, c)
	return c
}

func (f *feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.subs {
		close(c)
	}
}

func (f *feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for range f.open() { // silent: somebody ends it
		w.WriteHeader(http.StatusOK)
	}
}

type reply struct{ text string }

type peer struct {
	mu   sync.Mutex
	last int
	wait map[int]chan reply
}

func (p *peer) expect() (int, chan reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	c := make(chan reply, 1)
	p.wait[p.last] = c
	return p.last, c
}

func (p *peer) Call(ctx context.Context, send func(context.Context, int) error) (reply, error) {
	id, c := p.expect()
	if err := send(ctx, id); err != nil {
		return reply{}, err
	}
	return <-c, nil // want `^the receive from peer\.expect in peer\.Call goes on past the caller's deadline`
}

// start's channel is fed by a goroutine that has the caller's context.
func start(ctx context.Context, load func(context.Context) reply) chan reply {
	c := make(chan reply, 1)
	go func() { c <- load(ctx) }()
	return c
}

func Future(ctx context.Context, load func(context.Context) reply) reply {
	return <-start(ctx, load) // silent: the goroutine ends with ctx
}

// scratch is made for its caller alone.
func scratch() chan reply { return make(chan reply, 1) }

func Scratch(ctx context.Context, fill func(chan<- reply)) reply {
	c := scratch()
	fill(c)
	return <-c // silent: who fills it is not known
}

type answer struct {
	ready chan struct{}
	text  string
}

type answers struct {
	mu sync.Mutex
	of map[string]*answer
}

// Get waits for whoever fills the answer, which may have been there before.
func (a *answers) Get(ctx context.Context, q string) string {
	a.mu.Lock()
	it, ok := a.of[q]
	if !ok {
		it = &answer{ready: make(chan struct{})}
		a.of[q] = it
	}
	a.mu.Unlock()
	<-it.ready // want `^the receive from ready in answers\.Get goes on past the caller's deadline`
	return it.text
}

// Own waits for what it has started itself where there was none.
func Own(ctx context.Context, given *answer, fill func(context.Context, *answer)) string {
	it := given
	if it == nil {
		it = &answer{ready: make(chan struct{})}
		go func() {
			fill(ctx, it)
			close(it.ready)
		}()
	}
	<-it.ready // silent: who fills a given one is not known
	return it.text
}
