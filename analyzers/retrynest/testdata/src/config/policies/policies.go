// Package policies has the options beside a service config, and directives.
package policies

import (
	_ "embed"

	_ "config/service"
	"google.golang.org/grpc"
)

const policy = `{"methodConfig": [{"name": [{"service": "shop.v1.Stock"}], "retryPolicy": {"maxAttempts": 5, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

const fewer = `{"methodConfig": [{"name": [{"service": "shop.v1.Stock"}], "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}` // want `maxAttempts 4 has the effect of 3: the client is built with grpc.WithMaxCallAttempts\(3\)`

const more = `{"methodConfig": [{"name": [{"service": "shop.v1.Stock"}], "retryPolicy": {"maxAttempts": 20, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

func Off() {
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(policy), grpc.WithDisableRetry()) // want `grpc.WithDisableRetry turns its retryPolicy off`
}

// A config without a policy has nothing to turn off.
func OffAnyway() {
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(`{"loadBalancingConfig": [{"round_robin": {}}]}`), grpc.WithDisableRetry())
}

// That turns off what the resolver gives; the default stays.
func NoResolver() {
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(policy), grpc.WithDisableServiceConfig())
}

func Twice() {
	grpc.NewClient("x",
		grpc.WithDefaultServiceConfig(policy), // want `another one after it, in line 35, replaces it`
		grpc.WithUserAgent("x"),
		grpc.WithDefaultServiceConfig(`{"loadBalancingPolicy": "round_robin"}`),
	)
}

func Appended(secure bool) {
	opts := []grpc.DialOption{grpc.WithDefaultServiceConfig(policy)} // want `another one after it, in line 45, replaces it`
	opts = append(opts, grpc.WithUserAgent("x"))
	if secure {
		opts = append(opts, grpc.WithUserAgent("y"))
	}
	opts = append(opts, grpc.WithDefaultServiceConfig(policy), grpc.WithDisableRetry()) // want `grpc.WithDisableRetry turns its retryPolicy off`
	grpc.NewClient("x", opts...)
}

// The second is for another client; that which only one way has may not be for this one.
func AppendedForTwo(plain bool) {
	opts := []grpc.DialOption{grpc.WithDefaultServiceConfig(policy)}
	grpc.NewClient("x", opts...)
	opts = append(opts, grpc.WithDefaultServiceConfig(policy))
	if plain {
		opts = append(opts, grpc.WithDisableRetry())
	}
	grpc.NewClient("y", opts...)
}

func Limits(n int) {
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(fewer), grpc.WithMaxCallAttempts(3))
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(more), grpc.WithMaxCallAttempts(50))
	// An option that may be for this client makes the limit unknown.
	opts := []grpc.DialOption{grpc.WithMaxCallAttempts(n)}
	grpc.NewClient("x", append(opts, grpc.WithDefaultServiceConfig(more))...)
	grpc.NewClient("x", grpc.WithMaxCallAttempts(1)) // want `grpc.WithMaxCallAttempts\(1\) does not turn retries off, for less than 2 means the default, 5: use grpc.WithDisableRetry \(CTX310\)`
	grpc.NewClient("x", grpc.WithMaxCallAttempts(0)) // want `grpc.WithMaxCallAttempts\(0\) does not turn retries off`
	grpc.NewClient("x", grpc.WithMaxCallAttempts(2))
}

// The methods of services whose generated code is imported are known.
func Names() {
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(`{"methodConfig": [{"name": [{"service": "shop.v1.Stock", "method": "get"}, {"service": "Stock"}, {"service": "pay.v1.Orders"}]}]}`)) // want `service shop.v1.Stock has no method get, so this name matches nothing; did you mean Get\?` `no service is called Stock`
}

//go:embed retry.json
var embedded string // want `policies.Embedded's service config: retry.json:5:31: retryPolicy repeats calls that failed with RESOURCE_EXHAUSTED`

//go:embed retry.json
var bytes []byte // want `policies.Bytes's service config: retry.json:5:31: `

func Embedded() { grpc.NewClient("x", grpc.WithDefaultServiceConfig(embedded)) }

func Bytes() { grpc.NewClient("x", grpc.WithDefaultServiceConfig(string(bytes))) }

func Allowed() {
	//ctxprop:allow CTX307 the server sends this policy too
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(`{"hedgingPolicy": {}}`))
	//ctxprop:allow CTX308 nothing is wrong // want `suppresses nothing`
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(`{}`))
}
