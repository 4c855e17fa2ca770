// Package conns reads from connections to which it never gives a deadline.
package conns

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"log/slog"
	"net"
)

type peer struct {
	nc  net.Conn
	tcp *net.TCPConn
	sec *tls.Conn
	in  io.Reader
}

func (p *peer) Next(ctx context.Context) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(p.nc, head[:]); err != nil { // want `^the read from a connection in peer\.Next goes on past the caller's deadline; move the connection's deadline into the past when it is done, by context\.AfterFunc \(CTX203\)$`
		return nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(head[:]))
	_, err := io.ReadFull(p.nc, body) // silent: the first of them says it
	return body, err
}

func (p *peer) Some(ctx context.Context, b []byte) (int, error) {
	return p.tcp.Read(b) // want `^the read from a connection in peer\.Some`
}

func (p *peer) Logged(ctx context.Context, b []byte) (int, error) {
	slog.InfoContext(ctx, "reading")
	return p.nc.Read(b) // want `^the read from a connection in peer\.Logged`
}

func (p *peer) All(ctx context.Context) ([]byte, error) {
	return io.ReadAll(p.sec) // want `^the read from a connection in peer\.All`
}

func (p *peer) Asked(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return io.ReadAll(p.nc) // silent: it asks the context, how often is its own affair
}

func (p *peer) Closed(ctx context.Context) ([]byte, error) {
	defer context.AfterFunc(ctx, func() { p.nc.Close() })()
	return io.ReadAll(p.nc) // silent: the end of the context closes it
}

func (p *peer) Reader(ctx context.Context) ([]byte, error) {
	return io.ReadAll(p.in) // silent: it may be no connection
}

func (p *peer) Blank(_ context.Context, b []byte) (int, error) {
	return p.nc.Read(b) // silent: it says that it does not use its context
}

func (p *peer) Plain(b []byte) (int, error) {
	return p.nc.Read(b) // silent: it has none
}

func Given(ctx context.Context, nc net.Conn, b []byte) (int, error) {
	return nc.Read(b) // silent: whose connection this is, the caller knows
}

func GivenTCP(ctx context.Context, nc *net.TCPConn, b []byte) (int, error) {
	return nc.Read(b) // silent: whose connection this is, the caller knows
}
