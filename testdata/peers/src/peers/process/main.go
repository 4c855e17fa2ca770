// Command process is a root of contexts itself: nobody waits for it but the
// one who has started it.
package main

import (
	"context"
	"database/sql"
	"log"
	"net"
	"net/http"
	"os/exec"
	"time"
)

func main() {
	db, err := sql.Open("x", "y")
	if err != nil {
		log.Fatal(err)
	}
	if err := db.PingContext(context.Background()); err != nil {
		log.Fatal(err)
	}
	if err := migrate(db); err != nil {
		log.Fatal(err)
	}
	if out, err := exec.Command("git", "version").Output(); err == nil {
		log.Printf("%s", out)
	}
	log.Fatal(serve(context.Background(), db))
}

// migrate runs before there is any request.
func migrate(db *sql.DB) error {
	_, err := db.ExecContext(context.Background(), "CREATE TABLE a (b int)")
	return err
}

// serve binds, in one way and the other: that takes no time, and neither is
// worth more words than the other.
func serve(ctx context.Context, db *sql.DB) error {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	t, err := net.ListenTCP("tcp", nil)
	if err != nil {
		return err
	}
	defer t.Close()
	go poll(db)
	return http.Serve(l, handler{db})
}

// poll goes on for as long as the process.
func poll(db *sql.DB) {
	for range time.Tick(time.Minute) {
		if err := db.PingContext(context.Background()); err != nil {
			log.Print(err)
		}
	}
}

type handler struct{ db *sql.DB }

// ServeHTTP serves requests, in whatever package it is.
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = h.db.PingContext(context.Background()) // want `use r\.Context\(\) \(CTX101\)`
}
