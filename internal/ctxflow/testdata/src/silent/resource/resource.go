// Package resource has work whose result is kept for later callers: it must
// not die with the first.
package resource

import "context"

type conn interface {
	Ping(ctx context.Context) error
}

type dialer interface {
	Dial(ctx context.Context, addr string) (conn, error)
	Load(ctx context.Context, id string) (string, error)
}

type pool struct {
	d     dialer
	c     conn
	conns map[string]conn
	inner struct{ c conn }
	cache map[string]string
	err   error
}

var shared conn

var byName = map[string]conn{}

func (p *pool) Field(ctx context.Context) (err error) {
	p.c, err = p.d.Dial(context.Background(), "a") // silent: resource
	return err
}

func (p *pool) Local(ctx context.Context) error {
	c, err := p.d.Dial(context.Background(), "a") // silent: resource
	if err != nil {
		return err
	}
	p.c = c
	return c.Ping(ctx)
}

func (p *pool) Deep(ctx context.Context) error {
	c, err := p.d.Dial(context.Background(), "a") // silent: resource
	p.inner.c = c
	return err
}

func (p *pool) Map(ctx context.Context, addr string) error {
	c, err := p.d.Dial(context.Background(), addr) // silent: resource
	if err != nil {
		return err
	}
	p.conns[addr] = c
	return nil
}

func (p *pool) Cached(ctx context.Context, id string) (string, error) {
	if v, ok := p.cache[id]; ok {
		return v, nil
	}
	v, err := p.d.Load(context.Background(), id) // silent: resource
	if err != nil {
		return "", err
	}
	p.cache[id] = v
	return v, nil
}

func Global(ctx context.Context, d dialer) (err error) {
	shared, err = d.Dial(context.Background(), "a") // silent: resource
	return err
}

func GlobalMap(ctx context.Context, d dialer) error {
	c, err := d.Dial(context.Background(), "a") // silent: resource
	byName["a"] = c
	return err
}

func (p *pool) Closure(ctx context.Context, with func(func() error) error) error {
	return with(func() (err error) {
		p.c, err = p.d.Dial(context.Background(), "a") // silent: resource
		return err
	})
}

type reply struct{ Name string }

// Response is filled for this caller only.
func Response(ctx context.Context, d dialer) (*reply, error) {
	r := &reply{}
	var err error
	r.Name, err = d.Load(context.Background(), "1") // reported: CTX101
	return r, err
}

// Out is filled for this caller only, too.
func Out(ctx context.Context, d dialer, out *reply) (err error) {
	out.Name, err = d.Load(context.Background(), "1") // reported: CTX101
	return err
}

// LocalMap lives as long as the call.
func LocalMap(ctx context.Context, d dialer) (map[string]string, error) {
	m := map[string]string{}
	v, err := d.Load(context.Background(), "1") // reported: CTX101
	m["1"] = v
	return m, err
}

// Error keeps an error, which is no resource.
func (p *pool) Error(ctx context.Context) {
	p.err = p.c.Ping(context.Background()) // reported: CTX101
}

// Other keeps something else.
func (p *pool) Other(ctx context.Context, c conn) error {
	p.c = c
	return c.Ping(context.Background()) // reported: CTX101
}
