package conformance

import (
	"reflect"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"

	"github.com/ctxprop/ctxprop/internal/finding"
	"github.com/ctxprop/ctxprop/internal/retry"
	"github.com/ctxprop/ctxprop/internal/retry/retrytest"
)

// TestServiceConfigsOfClients builds a client from every config that
// internal/retry knows to be refused, and from all that it knows to be
// accepted.
func TestServiceConfigsOfClients(t *testing.T) {
	for _, c := range retrytest.Cases() {
		options := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultServiceConfig(c.Config)}
		if c.Limit != 0 {
			options = append(options, grpc.WithMaxCallAttempts(c.Limit))
		}
		cc, err := grpc.NewClient("passthrough:///none", options...)
		if err == nil {
			_ = cc.Close() // it never had a connection
		}
		// What is not linked into this test is refused here.
		if mine := retry.ParseServiceConfig(c.Config, retry.Client{}); (err != nil) != c.Refused() && !mine.Balancer {
			t.Errorf("%s: grpc.NewClient says %v for %s", c.Name, err, c.Config)
		}
	}
}

// configured is a client whose service config comes from a resolver that the
// test holds, so that many configs can be tried on it.
type configured struct {
	conn     *grpc.ClientConn
	resolver *manual.Resolver
}

func newConfigured(t testing.TB) *configured {
	t.Helper()
	r := manual.NewBuilderWithScheme("conformance")
	r.InitialState(resolver.State{Addresses: []resolver.Address{{Addr: "none"}}})
	conn, err := grpc.NewClient("conformance:///none", grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithResolvers(r), grpc.WithIdleTimeout(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	built := make(chan struct{})
	r.BuildCallback = func(resolver.Target, resolver.ClientConn, resolver.BuildOptions) { close(built) }
	conn.Connect()
	<-built
	return &configured{conn, r}
}

// try compares what is said of a config with what grpc-go does with it.
func (c *configured) try(t *testing.T, src string) {
	t.Helper()
	mine := retry.ParseServiceConfig(src, retry.Client{})
	parsed := c.resolver.CC().ParseServiceConfig(src)
	switch {
	case mine.Balancer: // depends on what is linked in
	case (parsed.Err != nil) != mine.Refused:
		t.Fatalf("grpc-go says %v of %q, and we say refused: %v", parsed.Err, src, mine.Problems)
	}
	c.checkProblems(t, src, mine)
	if parsed.Err != nil {
		return
	}
	c.resolver.UpdateState(resolver.State{ServiceConfig: parsed})
	//lint:ignore SA1019 there is no other way to see what grpc-go made of it
	for _, method := range methodsOf(parsed.Config.(*grpc.ServiceConfig), mine) {
		real := c.conn.GetMethodConfig(method)
		want := retry.Method{}
		if real.Timeout != nil && *real.Timeout >= 0 { // a negative one is not obeyed
			want.Timeout, want.HasTimeout = *real.Timeout, true
		}
		if p := real.RetryPolicy; p != nil {
			want.Policy = &retry.Policy{Attempts: p.MaxAttempts, Backoff: retry.Backoff{
				Initial: p.InitialBackoff, Max: p.MaxBackoff, Multiplier: p.BackoffMultiplier, Low: 0.8, High: 1.2,
			}}
			for code, on := range p.RetryableStatusCodes {
				if on && code != 0 {
					want.Policy.Codes |= retry.Errors(retry.Class(code))
				}
			}
		}
		if got := mine.Method(method); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s of %q: %+v, and grpc-go has %+v", method, src, got, want)
		}
	}
}

// methodsOf lists methods that tell the entries of a config apart.
//
//lint:ignore SA1019 see its caller
func methodsOf(config *grpc.ServiceConfig, mine *retry.ServiceConfig) []string {
	methods := []string{"/none/None", "none"}
	for path := range config.Methods {
		methods = append(methods, path, path+"Other")
	}
	for _, service := range mine.Services() {
		methods = append(methods, "/"+service+"/Some")
	}
	return methods
}

// checkProblems: every place is in the text, a config has a reason to be
// refused, and a fix leaves one that grpc-go takes, or one problem less.
func (c *configured) checkProblems(t *testing.T, src string, mine *retry.ServiceConfig) {
	t.Helper()
	refusals := 0
	for _, p := range mine.Problems {
		if p.Start < 0 || p.End < p.Start || p.End > len(src) || p.Message == "" {
			t.Fatalf("%q: misplaced: %+v", src, p)
		}
		if p.Code == finding.InvalidPolicy {
			refusals++
		}
		if p.Edits == nil {
			continue
		}
		fixed := retry.Apply(src, p.Edits)
		after := retry.ParseServiceConfig(fixed, retry.Client{})
		if err := c.resolver.CC().ParseServiceConfig(fixed).Err; err != nil && !mine.Refused && !mine.Balancer {
			t.Fatalf("%q: the fix makes %q, of which grpc-go says %v", src, fixed, err)
		}
		if count(after, p) >= count(mine, p) {
			t.Fatalf("%q: after the fix, %q still has %s", src, fixed, p.Message)
		}
	}
	if mine.Refused != (refusals > 0) {
		t.Fatalf("%q: refused %v with %d reasons", src, mine.Refused, refusals)
	}
}

func count(c *retry.ServiceConfig, like retry.Problem) int {
	n := 0
	for _, p := range c.Problems {
		if p.Message == like.Message {
			n++
		}
	}
	return n
}

// FuzzServiceConfig feeds the same text to grpc-go and to internal/retry.
func FuzzServiceConfig(f *testing.F) {
	for _, c := range retrytest.Cases() {
		f.Add(c.Config)
	}
	for _, seed := range []string{
		`{"methodConfig": [{"name": [null]}]}`,
		`{"methodConfig": [null, {"name": [{}], "timeout": "--1s"}]}`,
		`{"methodConfig": [{"name": [{"service": "a/b"}], "timeout": "1.-5s"}]}`,
		`{"methodConfig": [{"name": [{"service": "a", "method": "/"}], "timeout": "315576000000s"}]}`,
		`{"methodConfig": [{"name": [{}], "timeout": "9223372036.854775807s"}, {"name": [{}]}], "methodConfig": [{"timeout": null}]}`,
		`{"methodConfig": [{"name": [{}], "name": [{"service": "x"}]}]}`,
		`{"methodConfig": [{"ſervice": 1, "name": [{"ſervice": "s"}]}]}`,
		`{"loadBalancingPolicy": "none", "loadBalancingConfig": null}`,
		`{"loadBalancingConfig": [{"pick_first": {"shuffleAddressList": 1}}]}`,
		`{"loadBalancingConfig": [null, {"pick_first": null}]}`,
		`{"loadBalancingConfig": [{"round_robin": null}]}`,
		`{"ABAlAnCingConfig":[{"":{}}]}`,
		`{"retryThrottling": {"maxTokens": -1}, "healthCheckConfig": {"serviceName": 1}}`,
		`{"methodConfig": [{"name": [{}], "maxRequestMessageBytes": 9223372036854775808}]}`,
		"\ufeff{}", "{\"methodConfig\": [{\"name\": [{\"service\": \"\xff\"}]}]}",
		strings.Repeat("[", 10_001),
		`{"x": ` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`,
	} {
		f.Add(seed)
	}
	c := newConfigured(f)
	f.Fuzz(func(t *testing.T, src string) {
		c.try(t, src)
	})
}
