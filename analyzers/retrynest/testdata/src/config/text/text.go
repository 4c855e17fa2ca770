// Package text has service configs in all the ways in which they reach a client.
package text

import (
	"fmt"
	"os"
	"strings"
	"time"

	"config/other"
	"google.golang.org/grpc"
	"google.golang.org/grpc/resolver"
)

const bad = `{"method_config": []}` // want `the key is methodConfig \(CTX307\)`

const (
	head = `{"methodConfig": [{"name": [{}], `
	tail = `}]}`
)

var (
	global  = "{\"methodConfigs\": []}" // want `Global's service config: .*the key is methodConfig \(CTX307\)`
	changed = `{"retry_policy": {}}`    // SetGlobal may change it
)

func Literal() {
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(`{
		"methodConfig": [{
			"name": [{"service": "p.S"}],
			"timeout": "3s",}]}`)) // want `no JSON: invalid character .*; take the comma before it out \(CTX308\)`
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(`{
		"methodConfig": [{"name": [{"service": "p.S"}], "timeout": "3s"}],
		"retrythrottlings": {"maxTokens": 10, "tokenRatio": 0.1}}`)) // want `the key is retryThrottling \(CTX307\)`
}

func Interpreted() {
	grpc.NewClient("x", grpc.WithDefaultServiceConfig("{\n\t\"methodConfig\": [{\"name\": [{\"service\": \"\u00fc/S\"}], \"timeout\": \"100ms\"}]}")) // want `text.Interpreted's service config: timeout is "100ms", and grpc-go takes decimal seconds only, such as "0.1s": with this no client can be built \(CTX308\)`
}

func Constant() { grpc.NewClient("x", grpc.WithDefaultServiceConfig(bad)) }

func Global() { grpc.NewClient("x", grpc.WithDefaultServiceConfig(global)) }

func Changed() { grpc.NewClient("x", grpc.WithDefaultServiceConfig(changed)) }

func SetGlobal(s string) { changed = s }

func Concatenated() {
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(head+`"timeout": "2m"`+tail)) // want `timeout is "2m"`
}

func Formatted() {
	const attempts = 100
	text := fmt.Sprintf(`{"methodConfig": [{"name": [{"service": %q}], "retryPolicy": {"maxAttempts": %d, "initialBackoff": ".1s", "maxBackoff": "1s", "backoffMultiplier": %.1f, "retryableStatusCodes": ["UNAVAILABLE", "%s"]}}]}`, "p.S", attempts, 1.5, "NOT_FOUND") // want `maxAttempts 100 has the effect of 5` `NOT_FOUND, which the same request meets again`
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(text))
}

// Where a part is not known, what follows from the rest is reported.
func FormattedPartly(service string, attempts int, timeout time.Duration, code fmt.Stringer) {
	text := fmt.Sprintf(`{"methodConfig": [{"name": [{"service": "%s"}, {"service": "%s"}], "timeout": "%.0fs", "retryPolicy": {"maxAttempts": %d, "initialBackoff": "2s", "maxBackoff": "%ds", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE", "RESOURCE_EXHAUSTED"]}}], "retry_throttling": {}}`, service, service, timeout.Seconds(), attempts, attempts) // want `RESOURCE_EXHAUSTED, with which` `the key is retryThrottling`
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(text))
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(fmt.Sprintf(`{"methodConfigs": %d}`, attempts)))                                                    // want `the key is methodConfig`
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(fmt.Sprintf(`{"methodConfig": [{"name": [{"service": %q}], "timeout": "%v"}]}`, service, timeout))) // the timeout may be right
}

// Nothing is known of a part that may be any JSON, and of texts from elsewhere.
func FormattedUnknown(entries string, service fmt.Stringer) {
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(fmt.Sprintf(`{"methodConfig": [%s], "retry_policy": {}}`, entries)))
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(fmt.Sprintf(`{"methodConfig": "%s", "retry_policy": {}}`, service)))
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(os.Getenv("CONFIG")))
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(other.Open))
}

func FromFunction() {
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(policyFor("p.S", 7)))
}

func policyFor(service string, attempts int) string {
	return fmt.Sprintf(`{"methodConfig": [{"name": [{"service": "%s"}], "retryPolicy": {"maxAttempts": %d, "initialBackoff": ".1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": [14]}}]}`, service, attempts) // want `maxAttempts 7 has the effect of 5`
}

func FromFunctionWithError() error {
	text, err := load()
	if err != nil {
		return err
	}
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(text))
	return nil
}

func load() (string, error) {
	if os.Getenv("RETRY") == "" {
		return "", os.ErrNotExist
	}
	return `{"retry_throttling": {"maxTokens": 10, "tokenRatio": 1}}`, nil // want `the key is retryThrottling`
}

// Through takes the text as a parameter.
func Through() { dial("x", `{"methodconfig": {}}`) } // want `text.dial's service config: methodConfig is an object, and grpc-go takes an array only`

func dial(target, config string) (*grpc.ClientConn, error) {
	return grpc.NewClient(target, grpc.WithDefaultServiceConfig(strings.TrimSpace(config)), grpc.WithUserAgent("x"))
}

// Endless is a function whose argument comes from itself, in more ways than can be followed.
func Endless(config string, n int) {
	if n == 0 {
		grpc.NewClient("x", grpc.WithDefaultServiceConfig(config))
	}
	Endless(config, n-1)
	Endless(config, n-2)
	Endless(config, n-3)
	Endless(config+"", n-4)
	Endless(config+" ", n-5)
}

type client struct{ config string }

func Field() {
	c := client{config: `{"load_balancing_policy": "round_robin"}`} // want `the key is loadBalancingPolicy`
	c.dial()
}

func (c client) dial() { grpc.NewClient("x", grpc.WithDefaultServiceConfig(c.config)) } // the field

// Settings may be filled in by others too.
type Settings struct{ Config string }

func Defaults(s Settings) {
	if s.Config == "" {
		s.Config = `{"load_balancing_policy": "round_robin"}` // want `the key is loadBalancingPolicy`
	}
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(s.Config))
}

func Branches(fast bool) {
	text := `{"methodConfig": []}`
	if fast {
		text = `{"hedgingPolicy": {}}` // want `does not implement hedging`
	}
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(text))
}

func Options() []grpc.DialOption {
	opts := []grpc.DialOption{grpc.WithUserAgent("x")}
	return append(opts, grpc.WithDefaultServiceConfig(`{"methodConfig": [null, {"retryPolicy": {"maxAttempts": 3}}]}`)) // want `no name, so grpc-go skips it and its retryPolicy`
}

func FromResolver(cc resolver.ClientConn) {
	cc.ParseServiceConfig(`{"methodConfig": 1}`) // want `text.FromResolver's service config: methodConfig is 1`
}

func Elsewhere() {
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(other.Policy)) // want `maxAttempts 9 has the effect of 5`
}

// NotGiven is a text that no client gets.
func NotGiven() string { return `{"method_config": []}` }

// The timeout is that of a call with all its attempts: the last starts 1.2s
// after the first at the earliest.
func Late() {
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(`{"methodConfig": [{"name": [{"service": "shop.v1.Stock"}], "timeout": "1s", "retryPolicy": {"maxAttempts": 5, "initialBackoff": "0.1s", "maxBackoff": "10s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`)) // want `text.Late's service config: timeout 1s ends the call before attempt 5 of 5, for the waits until then take 1.2s at least: raise the timeout, or wait less \(CTX305\)`
}

// There is time for all of them, and none without a policy.
func InTime() {
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(`{"methodConfig": [{"name": [{"service": "shop.v1.Stock"}], "timeout": "1.3s", "retryPolicy": {"maxAttempts": 5, "initialBackoff": "0.1s", "maxBackoff": "10s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}, {"name": [{}], "timeout": "0.001s"}]}`))
}
