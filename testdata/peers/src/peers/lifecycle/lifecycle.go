// Package lifecycle has work that belongs to something which lives longer
// than the request that started it.
package lifecycle

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"google.golang.org/grpc"
)

type conn interface {
	Send(ctx context.Context, m string) error
	Close() error
}

type dialer interface {
	Dial(ctx context.Context, addr string) (conn, error)
	Stream(ctx context.Context, addr string) (conn, error)
}

type pool struct {
	mu    sync.Mutex
	d     dialer
	conns map[string]conn
	last  conn
}

// Get keeps the connection for those who come later: it must not end with the
// first.
func (p *pool) Get(ctx context.Context, addr string) (conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.conns[addr]; ok {
		return c, nil
	}
	c, err := p.d.Dial(context.Background(), addr)
	if err != nil {
		return nil, err
	}
	p.conns[addr] = c
	return c, nil
}

// Shared keeps a stream that many requests write to.
func (p *pool) Shared(ctx context.Context, addr string) error {
	if p.last == nil {
		st, err := p.d.Stream(context.Background(), addr)
		if err != nil {
			return err
		}
		p.last = st
	}
	return p.last.Send(ctx, addr)
}

// Ask dials for this caller alone.
func (p *pool) Ask(ctx context.Context, addr string) error {
	c, err := p.d.Dial(context.Background(), addr) // want `CTX101`
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Send(ctx, "1")
}

// Default takes a root for callers that gave none.
func (p *pool) Default(ctx context.Context, addr string) error {
	if ctx == nil {
		ctx = context.Background()
	}
	return p.last.Send(ctx, addr)
}

type lazy struct {
	once sync.Once
	c    conn
	err  error
	d    dialer
}

// Conn makes the connection once, for everybody.
func (l *lazy) Conn(ctx context.Context) (conn, error) {
	l.once.Do(func() { l.c, l.err = l.d.Dial(context.Background(), "db") })
	return l.c, l.err
}

// levels asks a service for the level at which to log; a logger's getter has
// no context to hand on, and no request is in sight.
type levels struct{ c conn }

func (l *levels) Level() int {
	if l.c.Send(context.Background(), "level?") != nil {
		return 1
	}
	return 0
}

// workspace lives as long as its window is open.
type workspace struct {
	ctx context.Context
	a   agents
}

type agents interface {
	Run(ctx context.Context, prompt string) error
	Ask(ctx context.Context, prompt string) (string, error)
}

func openWorkspace(a agents) *workspace {
	return &workspace{ctx: context.Background(), a: a}
}

// ServeHTTP starts an agent that goes on after the request: on the
// workspace's context, which is right, and nobody waits.
func (ws *workspace) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	go ws.a.Run(ws.ctx, r.URL.Path)
}

// Question waits for an answer on the workspace's context: its caller's has
// no say.
func (ws *workspace) Question(w http.ResponseWriter, r *http.Request) {
	_, _ = ws.a.Ask(ws.ctx, r.URL.Path) // want `workspace.Question waits for agents.Ask on ws.ctx, .*use r.Context\(\) \(CTX104\)`
}

// client holds a connection, which is no context, whatever it keeps inside.
type client struct{ cc grpc.ClientConnInterface }

func (c *client) Ping(ctx context.Context) error { return c.cc.Invoke(ctx, "/x/Ping", nil, nil) }

// Ended refuses once its server's own context has ended, beside the caller's.
func (ws *workspace) Ended(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-ws.ctx.Done():
		return errors.New("closed")
	default:
	}
	_, err := ws.a.Ask(ctx, "1")
	return err
}
