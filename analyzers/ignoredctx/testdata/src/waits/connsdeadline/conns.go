// Package connsdeadline gives its connections deadlines where it opens them.
package connsdeadline

import (
	"context"
	"net"
	"time"
)

type peer struct{ nc net.Conn }

func dial(ctx context.Context, addr string) (*peer, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return &peer{nc}, nc.SetDeadline(time.Now().Add(time.Minute))
}

func (p *peer) Some(ctx context.Context, b []byte) (int, error) {
	return p.nc.Read(b) // silent: it has a deadline
}
