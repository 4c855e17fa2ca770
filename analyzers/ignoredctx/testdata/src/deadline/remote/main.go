// Command remote calls services and databases, with and without an end.
package main

import (
	"context"
	"database/sql"
	"time"

	"google.golang.org/grpc"

	"deadline/shelfpb"
)

func main() {
	ctx := context.Background()
	plain(ctx)
	configured(ctx)
	chosen(ctx, grpc.WithUserAgent("remote"))
	limited(ctx)
	query(ctx)
	bounded(ctx)
	opened(ctx, "")
}

func plain(ctx context.Context) {
	conn, err := grpc.NewClient("shelf:443", grpc.WithUserAgent("remote"))
	if err != nil {
		return
	}
	c := shelfpb.NewShelfClient(conn)
	_, _ = c.Lookup(ctx, &shelfpb.Item{}) // want `^ShelfClient\.Lookup in main\.plain has no deadline, and its client no timeout: .*\(CTX206\)$`
	_, _ = c.Watch(ctx, &shelfpb.Item{})  // silent: a stream may stay open
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, _ = c.Lookup(short, &shelfpb.Item{}) // silent: the context has a deadline
}

func configured(ctx context.Context) {
	conn, _ := grpc.NewClient("shelf:443", grpc.WithDefaultServiceConfig(config))
	_, _ = shelfpb.NewShelfClient(conn).Lookup(ctx, &shelfpb.Item{}) // silent: the config may set a timeout
}

var config = `{"methodConfig": [{"name": [{}], "timeout": "1s"}]}`

func chosen(ctx context.Context, opts ...grpc.DialOption) {
	conn, _ := grpc.NewClient("shelf:443", opts...)
	_, _ = shelfpb.NewShelfClient(conn).Lookup(ctx, &shelfpb.Item{}) // silent: the options are another function's
}

func limited(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn, _ := grpc.NewClient("shelf:443")
	_, _ = shelfpb.NewShelfClient(conn).Lookup(ctx, &shelfpb.Item{}) // silent: the context has a deadline
}

func query(ctx context.Context) {
	db, _ := sql.Open("postgres", "host=db user=app")
	_ = db.PingContext(ctx)              // silent: a command may wait for its database before it starts
	_, _ = db.ExecContext(ctx, "VACUUM") // want `^DB\.ExecContext in main\.query has no deadline`
	_, _ = db.Exec("VACUUM")             // want `DB\.Exec in main\.query takes no context.*\(CTX202\)$`
}

func bounded(ctx context.Context) {
	db, _ := sql.Open("postgres", "host=db user=app options='-c statement_timeout=1000'")
	_, _ = db.ExecContext(ctx, "VACUUM") // silent: the server ends it
}

func opened(ctx context.Context, source string) {
	db, _ := sql.Open("postgres", source)
	_, _ = db.ExecContext(ctx, "VACUUM") // silent: the source may name a timeout
}
