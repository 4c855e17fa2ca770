// Package blind has calls that could have been given the context at hand.
package blind

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os/exec"

	"peers/outgoing/db"
)

// Query calls a database of which this package imports nothing.
func Query(w http.ResponseWriter, r *http.Request) {
	rows, err := db.Main.DB.Query("SELECT 1") // want `use QueryContext with r\.Context\(\) \(CTX202\)`
	if err != nil {
		return
	}
	_ = rows.Close()
}

// Embedded reaches the method through an embedded field.
func Embedded(ctx context.Context) error {
	return db.Main.Ping() // want `use PingContext with ctx \(CTX202\)`
}

// querier offers both.
type querier interface {
	Exec(q string) error
	ExecContext(ctx context.Context, q string) error
}

// Interface reaches it through an interface of its own.
func Interface(ctx context.Context, q querier) error {
	return q.Exec("VACUUM") // want `use ExecContext with ctx \(CTX202\)`
}

// plain offers no other way.
type plain interface{ Exec(q string) error }

func Plain(ctx context.Context, q plain) error { return q.Exec("VACUUM") }

// Reach has three ways to dial, none of them with the context.
func Reach(ctx context.Context, d *net.Dialer, t *tls.Dialer) error {
	c, err := d.Dial("tcp", "a.example:1") // want `CTX202`
	if err != nil {
		return err
	}
	defer c.Close()
	c, err = t.Dial("tcp", "a.example:1") // want `CTX202`
	if err != nil {
		return err
	}
	defer c.Close()
	c, err = net.Dial("tcp", "a.example:1") // want `CTX202`
	if err != nil {
		return err
	}
	return c.Close()
}

// Datagrams only binds, and looks nothing up: an address is given.
func Datagrams(ctx context.Context, addr *net.UDPAddr) error {
	c, err := net.DialUDP("udp", nil, addr)
	if err != nil {
		return err
	}
	return c.Close()
}

// Bind listens, which takes no time.
func Bind(ctx context.Context) error {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	return l.Close()
}

// Do sends a request that was made without the context.
func Do(ctx context.Context, c *http.Client) error {
	req, err := http.NewRequest(http.MethodGet, "http://a.example", nil) // want `CTX202`
	if err != nil {
		return err
	}
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

var newRequest = http.NewRequest

// DoVariable makes it through a variable of the package.
func DoVariable(ctx context.Context, c *http.Client) error {
	req, err := newRequest(http.MethodGet, "http://a.example", nil) // want `CTX202`
	if err != nil {
		return err
	}
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// Value calls through a local.
func Value(w http.ResponseWriter, r *http.Request) {
	get := http.Get
	if res, err := get("http://a.example"); err == nil { // want `CTX202`
		_ = res.Body.Close()
	}
}

// Command waits for a command that nothing ends.
func Command(ctx context.Context) error {
	return exec.Command("true").Run() // want `CTX202`
}

// Literal makes the command by hand.
func Literal(ctx context.Context) error {
	c := &exec.Cmd{Path: "/bin/true"}
	return c.Run() // want `CTX202`
}

// Requested has a context although it never asks the request for it.
func Requested(w http.ResponseWriter, r *http.Request) {
	_, _ = db.Main.Exec("DELETE FROM a") // want `use ExecContext with r\.Context\(\) \(CTX202\)`
}

// Captured has it from around.
func Captured(ctx context.Context, each func(func(id string) error) error) error {
	return each(func(id string) error {
		_, err := db.Main.Exec(id) // want `use ExecContext with ctx \(CTX202\)`
		return err
	})
}

// wrap has no context, and is reached from where there is one.
func wrap(id string) error {
	_, err := db.Main.Exec(id) // want `CTX202`
	return err
}

func Wrapped(ctx context.Context) error { return wrap("1") }

// Context takes one already: there is no ExecContextContext to propose.
func Context(ctx context.Context) error {
	_, err := db.Main.ExecContext(ctx, "DELETE FROM a")
	return err
}

// Rollback ends a transaction, for which there is no way with a context.
func Rollback(ctx context.Context) error {
	tx, err := db.Main.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return tx.Commit()
}
