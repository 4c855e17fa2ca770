package databases

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
	"modernc.org/sqlite"

	"github.com/ctxprop/ctxprop/runtime/saturate"
)

// serve registers a service with one unary method that runs query.
func serve(s grpc.ServiceRegistrar, query func(ctx context.Context) error) {
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "orders.Orders", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{
		MethodName: "Get",
		Handler: func(_ any, ctx context.Context, dec func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
			in := new(emptypb.Empty)
			if err := dec(in); err != nil {
				return nil, err
			}
			return intercept(ctx, in, &grpc.UnaryServerInfo{FullMethod: "/orders.Orders/Get"}, func(ctx context.Context, _ any) (any, error) {
				return new(emptypb.Empty), query(ctx)
			})
		},
	}}}, nil)
}

func get(ctx context.Context, cc grpc.ClientConnInterface) error {
	return cc.Invoke(ctx, "/orders.Orders/Get", new(emptypb.Empty), new(emptypb.Empty))
}

// connections is the size of the service's pool, and the number of the
// harness's slots.
const connections = 4

func open(c driver.Connector) *sql.DB {
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db
}

// file is a connector for one SQLite file.
type file struct{ path string }

func (f file) Connect(context.Context) (driver.Conn, error) { return f.Driver().Open(f.path) }
func (f file) Driver() driver.Driver                        { return &sqlite.Driver{} }

// The service reads from SQLite with and without its caller's context, in a
// bubble: the harness's slots make the query slow, the driver makes it real.
func TestSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "orders.db")
	db := open(file{path})
	for _, q := range []string{"PRAGMA journal_mode=WAL", "CREATE TABLE orders (id INTEGER PRIMARY KEY, item TEXT)", "INSERT INTO orders VALUES (7, 'tea')"} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	scenario := func(use func(context.Context) context.Context) saturate.Scenario {
		return saturate.Scenario{
			Register: func(s grpc.ServiceRegistrar, d *saturate.Deps) {
				db := open(d.Wrap(file{path}))
				d.OnClose(func() { db.Close() })
				serve(s, func(ctx context.Context) error {
					var item string
					return db.QueryRowContext(use(ctx), "SELECT item FROM orders WHERE id = ?", 7).Scan(&item)
				})
			},
			Call: get, Deadline: 300 * time.Millisecond,
			Dependency: saturate.Dependency{Concurrency: connections},
			Clock:      saturate.Virtual,
		}
	}
	c := saturate.Compare(t,
		scenario(func(context.Context) context.Context { return context.Background() }),
		scenario(func(ctx context.Context) context.Context { return ctx }))
	t.Log(c.Why)
	if c.Verdict != saturate.Proven {
		t.Errorf("%s: %s", c.Verdict, c.Why)
	}
}

// PostgreSQL itself sleeps for the query, on the real clock, on its own
// connections: the harness only counts. A query that nobody waits for holds its
// connection to the end; a cancelled one frees it. All times are four times the
// defaults, so that the delays of a busy machine weigh less.
func TestPostgreSQL(t *testing.T) {
	dsn := os.Getenv("CTXPROP_POSTGRES")
	if dsn == "" {
		t.Skip("CTXPROP_POSTGRES is not set")
	}
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	const service = 200 * time.Millisecond
	scenario := func(use func(context.Context) context.Context) saturate.Scenario {
		return saturate.Scenario{
			Register: func(s grpc.ServiceRegistrar, d *saturate.Deps) {
				db := open(stdlib.GetConnector(*config))
				d.OnClose(func() { db.Close() })
				serve(s, func(ctx context.Context) error {
					_, err := db.ExecContext(use(ctx), "SELECT pg_sleep($1)", d.Lognormal(service, 0.5).Seconds())
					return err
				})
			},
			Call: get, Deadline: 1200 * time.Millisecond,
			Retry:    saturate.Retry{InitialBackoff: 200 * time.Millisecond},
			Capacity: connections / service.Seconds(),
			Trigger:  saturate.Trigger{For: 8 * time.Second},
			Warmup:   8 * time.Second, Observe: 24 * time.Second,
			Clock: saturate.Real,
		}
	}
	c := saturate.Compare(t,
		scenario(func(context.Context) context.Context { return context.Background() }),
		scenario(func(ctx context.Context) context.Context { return ctx }))
	t.Log(c.Why)
	if c.Verdict != saturate.Proven {
		t.Errorf("%s: %s", c.Verdict, c.Why)
	}
}
