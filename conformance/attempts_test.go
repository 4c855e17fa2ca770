package conformance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/ctxprop/ctxprop/internal/retry"
	"github.com/ctxprop/ctxprop/internal/retry/retrytest"
)

// server answers every method by one function and counts the calls.
type server struct {
	addr   string
	calls  atomic.Int32
	handle func(context.Context) error
}

func newServer(t *testing.T, handle func(context.Context) error) *server {
	t.Helper()
	s := &server{handle: handle}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		s.calls.Add(1)
		return s.handle(stream.Context())
	}))
	go func() { _ = srv.Serve(listener) }() // ends with Stop
	t.Cleanup(srv.Stop)
	s.addr = listener.Addr().String()
	return s
}

// newClient connects to the server.
func (s *server) newClient(t *testing.T, options ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+s.addr, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func call(ctx context.Context, conn *grpc.ClientConn, method string) error {
	return conn.Invoke(ctx, method, new(emptypb.Empty), new(emptypb.Empty))
}

// unavailable is the failure that the policies of these tests retry.
func unavailable(context.Context) error { return status.Error(codes.Unavailable, "down") }

// quick is a policy that waits for next to nothing.
func quick(attempts int, codes ...string) string {
	return fmt.Sprintf(`{"maxAttempts": %d, "initialBackoff": "0.001s", "maxBackoff": "0.002s", "backoffMultiplier": 1, "retryableStatusCodes": ["%s"]}`, attempts, strings.Join(codes, `", "`))
}

// attempts is what internal/retry says that a client makes.
func attempts(config, method string, client retry.Client) int {
	c := retry.ParseServiceConfig(config, client)
	policy := c.Method(method).Policy
	if policy == nil {
		return 1
	}
	return retry.SingleCause([]retry.Layer{policy.Layer(c.Throttle)}, retry.Errors(retry.Unavailable)).Factors.Total().Worst()
}

// TestAttemptsOfClients counts the calls that reach a server which is down,
// and compares with what is said of the config: which entry a method has, and
// what its policy does.
func TestAttemptsOfClients(t *testing.T) {
	s := newServer(t, unavailable)
	three := `, "retryPolicy": ` + quick(3, "UNAVAILABLE")
	for _, test := range []struct {
		name, config, method string
		limit                int
		want                 int
	}{
		{"service", retrytest.Config(retrytest.Entry(`[{"service": "p.S"}]`, three)), "/p.S/M", 0, 3},
		{"default", retrytest.Config(retrytest.Entry(`[{}]`, three)), "/p.S/M", 0, 3},
		{"null for the default", retrytest.Config(retrytest.Entry(`[null]`, three)), "/p.S/M", 0, 3},
		{"method", retrytest.Config(retrytest.Entry(`[{"service": "p.S", "method": "M"}]`, three)), "/p.S/M", 0, 3},
		{"another method", retrytest.Config(retrytest.Entry(`[{"service": "p.S", "method": "N"}]`, three)), "/p.S/M", 0, 1},
		{"method in another case", retrytest.Config(retrytest.Entry(`[{"service": "p.S", "method": "m"}]`, three)), "/p.S/M", 0, 1},
		{"short name", retrytest.Config(retrytest.Entry(`[{"service": "S"}]`, three)), "/p.S/M", 0, 1},
		{"leading slash", retrytest.Config(retrytest.Entry(`[{"service": "/p.S"}]`, three)), "/p.S/M", 0, 1},
		{"service and method in one", retrytest.Config(retrytest.Entry(`[{"service": "p.S/M"}]`, three)), "/p.S/M", 0, 1},
		{"wildcard", retrytest.Config(retrytest.Entry(`[{"service": "*"}]`, three)), "/p.S/M", 0, 1},
		{"empty name", retrytest.Config(retrytest.Entry(`[]`, three)), "/p.S/M", 0, 1},
		{"no name", `{"methodConfig": [{` + strings.TrimPrefix(three, ", ") + `}]}`, "/p.S/M", 0, 1},
		{"service before default", retrytest.Config(retrytest.Entry(`[{}]`, three), retrytest.Entry(`[{"service": "p.S"}]`, `, "retryPolicy": `+quick(2, "UNAVAILABLE"))), "/p.S/M", 0, 2},
		{"hidden by a timeout", retrytest.Config(retrytest.Entry(`[{"service": "p.S"}]`, three), retrytest.Entry(`[{"service": "p.S", "method": "M"}]`, `, "timeout": "10s"`)), "/p.S/M", 0, 1},
		{"another code", retrytest.Config(retrytest.Entry(`[{}]`, `, "retryPolicy": `+quick(3, "ABORTED"))), "/p.S/M", 0, 1},
		{"OK", retrytest.Config(retrytest.Entry(`[{}]`, `, "retryPolicy": `+quick(3, "OK"))), "/p.S/M", 0, 1},
		{"clamped", retrytest.Config(retrytest.Entry(`[{}]`, `, "retryPolicy": `+quick(9, "UNAVAILABLE"))), "/p.S/M", 0, 5},
		{"limit raised", retrytest.Config(retrytest.Entry(`[{}]`, `, "retryPolicy": `+quick(9, "UNAVAILABLE"))), "/p.S/M", 8, 8},
		{"limit lowered", retrytest.Config(retrytest.Entry(`[{}]`, `, "retryPolicy": `+quick(9, "UNAVAILABLE"))), "/p.S/M", 2, 2},
		{"limit that is none", retrytest.Config(retrytest.Entry(`[{}]`, `, "retryPolicy": `+quick(9, "UNAVAILABLE"))), "/p.S/M", 1, 5},
		{"hedging", retrytest.Config(retrytest.Entry(`[{}]`, `, "hedgingPolicy": {"maxAttempts": 3}`)), "/p.S/M", 0, 1},
		{"retry_policy", retrytest.Config(retrytest.Entry(`[{}]`, `, "retry_policy": `+quick(3, "UNAVAILABLE"))), "/p.S/M", 0, 1},
		{"tokens for no retry", strings.TrimSuffix(retrytest.Config(retrytest.Entry(`[{}]`, three)), "}") + `, "retryThrottling": {"maxTokens": 2, "tokenRatio": 1}}`, "/p.S/M", 0, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := []grpc.DialOption{grpc.WithDefaultServiceConfig(test.config)}
			if test.limit != 0 {
				options = append(options, grpc.WithMaxCallAttempts(test.limit))
			}
			conn := s.newClient(t, options...)
			s.calls.Store(0)
			if err := call(t.Context(), conn, test.method); status.Code(err) != codes.Unavailable {
				t.Fatalf("the call failed with %v", err)
			}
			said := attempts(test.config, test.method, retry.Client{MaxCallAttempts: test.limit})
			if test.name == "tokens for no retry" {
				said = 1 + retry.Throttle{MaxTokens: 2}.RetriesInOutage()
			}
			if got := int(s.calls.Load()); got != test.want || said != test.want {
				t.Errorf("%d calls, and we say %d; want %d", got, said, test.want)
			}
		})
	}
}

// TestOptionsOfClients: what the options beside a service config do to it.
func TestOptionsOfClients(t *testing.T) {
	s := newServer(t, unavailable)
	policy := func(n int) string {
		return retrytest.Config(retrytest.Entry(`[{}]`, `, "retryPolicy": `+quick(n, "UNAVAILABLE")))
	}
	for _, test := range []struct {
		name    string
		options []grpc.DialOption
		want    int32
	}{
		{"WithDisableRetry", []grpc.DialOption{grpc.WithDefaultServiceConfig(policy(3)), grpc.WithDisableRetry()}, 1},
		{"WithDisableServiceConfig leaves the default", []grpc.DialOption{grpc.WithDefaultServiceConfig(policy(3)), grpc.WithDisableServiceConfig()}, 3},
		{"the last default counts", []grpc.DialOption{grpc.WithDefaultServiceConfig(policy(3)), grpc.WithDefaultServiceConfig(policy(2))}, 2},
	} {
		conn := s.newClient(t, test.options...)
		s.calls.Store(0)
		if err := call(t.Context(), conn, "/p.S/M"); status.Code(err) != codes.Unavailable {
			t.Fatalf("%s: the call failed with %v", test.name, err)
		}
		if got := s.calls.Load(); got != test.want {
			t.Errorf("%s: %d calls, want %d", test.name, got, test.want)
		}
	}
}

// TestNestOfClients builds three services that call each other and compares
// the calls at the bottom with the bound of internal/retry, for every way in
// which a handler may return an error.
func TestNestOfClients(t *testing.T) {
	for _, test := range []struct {
		name   string
		handle func(error) error
		gives  retry.Mapping
		want   int
	}{
		{"returned", func(err error) error { return err }, retry.Kept, 27},
		{"wrapped with %w", func(err error) error { return fmt.Errorf("stock: %w", err) }, retry.Kept, 27},
		{"wrapped with %v", func(err error) error { return fmt.Errorf("stock: %v", err) }, retry.Flattened, 3},
		{"made anew", func(error) error { return errors.New("stock") }, retry.Flattened, 3},
		{"mapped", func(error) error { return status.Error(codes.FailedPrecondition, "stock") }, retry.Replaced(retry.FailedPrecondition), 3},
		{"mapped to what is retried", func(error) error { return status.Error(codes.Unavailable, "stock") }, retry.Replaced(retry.Unavailable), 27},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := retrytest.Config(retrytest.Entry(`[{}]`, `, "retryPolicy": `+quick(3, "UNAVAILABLE")))
			bottom := newServer(t, unavailable)
			above := func(below *server) *server {
				conn := below.newClient(t, grpc.WithDefaultServiceConfig(config))
				return newServer(t, func(ctx context.Context) error { return test.handle(call(ctx, conn, "/p.S/M")) })
			}
			edge := above(above(bottom)).newClient(t, grpc.WithDefaultServiceConfig(config))
			if err := call(t.Context(), edge, "/p.S/M"); err == nil {
				t.Fatal("the call succeeded")
			}
			layer := retry.ParseServiceConfig(config, retry.Client{}).Method("/p.S/M").Policy.Layer(nil)
			inner := layer
			inner.Gives = layer.Gives.Then(test.gives).Then(retry.OverConnection)
			said := retry.SingleCause([]retry.Layer{layer, inner, inner}, retry.Errors(retry.Unavailable)).Factors.Total().Worst()
			if got := int(bottom.calls.Load()); got != test.want || said != test.want {
				t.Errorf("%d calls at the bottom, and we say %d; want %d", got, said, test.want)
			}
		})
	}
}

// TestThrottleOfClients: 20 calls to a server that is down make the first
// attempts and as many retries as the budget has, if the policy allows them in
// one call; else last attempts use up tokens too.
func TestThrottleOfClients(t *testing.T) {
	const n, many = 20, 1000
	for _, test := range []struct {
		attempts int
		tokens   float64
		want     int
	}{
		{many, 10, n + 4}, {many, 9, n + 4}, {many, 4, n + 1}, {many, 3, n + 1}, {many, 2, n}, {many, 1, n}, {many, 100, n + 49},
		{3, 10, n + 3},
	} {
		s := newServer(t, unavailable)
		config := strings.TrimSuffix(retrytest.Config(retrytest.Entry(`[{}]`, `, "retryPolicy": `+quick(test.attempts, "UNAVAILABLE"))), "}") +
			fmt.Sprintf(`, "retryThrottling": {"maxTokens": %v, "tokenRatio": 0.1}}`, test.tokens)
		conn := s.newClient(t, grpc.WithDefaultServiceConfig(config), grpc.WithMaxCallAttempts(many))
		for range n {
			if err := call(t.Context(), conn, "/p.S/M"); err == nil {
				t.Fatal("the call succeeded")
			}
		}
		most := n + retry.ParseServiceConfig(config, retry.Client{}).Throttle.RetriesInOutage()
		if got := int(s.calls.Load()); got != test.want || got > most || test.attempts == many && got != most {
			t.Errorf("%v tokens, %d attempts: %d calls, and we say %d; want %d", test.tokens, test.attempts, got, most, test.want)
		}
	}
}
