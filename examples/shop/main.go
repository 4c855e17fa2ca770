// Shop is a small HTTP service with three context faults in it, for trying
// ctxprop on. Beside the faults stands code that makes its own contexts and is
// right to; ctxprop says nothing about that.
//
// The service runs: every statement of its database takes two seconds, so that
// the log shows which work stops when a caller hangs up, and which goes on.
//
//	go run . &
//	curl -m 1 localhost:8080/stock/tea           # the query goes on
//	curl -m 1 localhost:8080/orders/1            # the query stops
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"log"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/ctxprop/ctxprop/examples/shop/slowdb"
	"github.com/ctxprop/ctxprop/examples/shop/store"
	"github.com/ctxprop/ctxprop/examples/shop/web"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "address to listen on")
	flag.Parse()
	if err := run(*addr); err != nil {
		log.Fatal(err)
	}
}

// run serves until the process is interrupted. Its root context is right:
// nobody called main, so there is no caller's context to lose.
func run(addr string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	db := sql.OpenDB(slowdb.Connector{Delay: 2 * time.Second, Logf: log.Printf})
	defer db.Close()

	srv := &http.Server{Addr: addr, Handler: web.New(store.New(db))}
	failed := make(chan error, 1)
	go func() { failed <- srv.ListenAndServe() }()

	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}

	// ctx is done by now. Shutting down on it would give the open requests no
	// time at all, so a fresh context with its own deadline is right.
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := srv.Shutdown(grace); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return srv.Close()
}
