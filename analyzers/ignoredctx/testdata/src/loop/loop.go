// Package loop has loops that go on after their context has ended, beside such
// that leave in time.
package loop

import (
	"context"
	"database/sql"
	"log"
	"net/http"
	"time"

	"google.golang.org/grpc"
)

type source interface {
	Next() (string, error)
	Ready(id string) bool
}

func FallsThrough(ctx context.Context, s source, dst chan<- string) {
	for {
		v, err := s.Next()
		if err != nil {
			return
		}
		select {
		case dst <- v:
		case <-ctx.Done(): // want `^the loop in loop\.FallsThrough goes round again when the caller's deadline has passed: its Done case does not leave it; return there \(CTX204\)$`
		}
	}
}

// A break leaves the select alone.
func Breaks(ctx context.Context, s source, tick *time.Ticker) error {
	for {
		select {
		case <-tick.C:
			if _, err := s.Next(); err != nil {
				return err
			}
		case <-ctx.Done(): // want `^the loop in loop\.Breaks goes round again`
			log.Print("done")
			break
		}
	}
}

func Labelled(ctx context.Context, s source, tick *time.Ticker) {
loop:
	for {
		select {
		case <-tick.C:
			_, _ = s.Next()
		case <-ctx.Done(): // silent: the label is that of the loop
			break loop
		}
	}
}

func Flag(ctx context.Context, s source, tick *time.Ticker) {
	for on := true; on; {
		select {
		case <-tick.C:
			_, _ = s.Next()
		case <-ctx.Done(): // silent: the flag ends the loop
			on = false
		}
	}
}

func CheckedElsewhere(ctx context.Context, s source, dst chan<- string) {
	for ctx.Err() == nil {
		v, _ := s.Next()
		select {
		case dst <- v:
		case <-ctx.Done(): // silent: the loop's condition leaves
		}
	}
}

type poller struct {
	s  source
	db *sql.DB
}

func (p *poller) Await(ctx context.Context, id string) error {
	for !p.s.Ready(id) { // want `^the loop over time\.Sleep in poller\.Await goes on past the caller's deadline; leave it when ctx\.Err\(\) is not nil \(CTX204\)$`
		time.Sleep(time.Second)
	}
	return nil
}

func (p *poller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for !p.s.Ready("1") { // want `^the loop over time\.Sleep in poller\.ServeHTTP goes on past the request's deadline; leave it when r\.Context\(\)\.Err\(\) is not nil`
		time.Sleep(time.Second)
	}
}

// Leaves asks the database on its context, whose error leaves.
func (p *poller) Leaves(ctx context.Context) error {
	for {
		if err := p.db.PingContext(ctx); err != nil {
			return err
		}
		time.Sleep(time.Second) // want `^time\.Sleep in poller\.Leaves goes on past the caller's deadline; wait for ctx\.Done\(\) as well \(CTX203\)$`
	}
}

// Swallows goes on taking from in, for nothing, once ctx is done.
func (p *poller) Swallows(ctx context.Context, in <-chan string) {
	for { // want `^the loop over DB\.ExecContext in poller\.Swallows goes on past the caller's deadline`
		_, _ = p.db.ExecContext(ctx, "insert into seen values (?)", <-in)
	}
}

// Each step fails at once when ctx is done, and the list ends.
func (p *poller) Each(ctx context.Context, ids []string) {
	for range ids { // silent: as many rounds as there are ids
		if err := p.db.PingContext(ctx); err != nil {
			log.Print(err)
		}
	}
}

func (p *poller) Send(in *sql.DB, out grpc.ServerStreamingServer[string]) error {
	for {
		v, err := p.s.Next()
		if err != nil {
			return err
		}
		if err := out.Send(&v); err != nil { // silent: a stream whose client has gone fails
			return err
		}
	}
}

// Compute waits for nothing.
func Compute(ctx context.Context, n int) (sum int) {
	for i := 0; i < n; i++ { // silent: computation alone
		for j := 0; j < n; j++ {
			sum += i * j
		}
	}
	return sum
}

// Stopped may be ended by whoever owns the flag.
func (p *poller) Stopped(ctx context.Context, stop *bool) {
	for !*stop { // silent but for the sleep: the flag may follow the context
		time.Sleep(time.Second) // want `^time\.Sleep in poller\.Stopped`
	}
}
