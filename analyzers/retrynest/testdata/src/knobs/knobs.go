// Package knobs sets counts that mean something else than they say.
package knobs

import (
	avast "github.com/avast/retry-go/v4"
	"github.com/cenkalti/backoff/v4"
	"github.com/redis/go-redis/v9"
	"k8s.io/apimachinery/pkg/util/wait"
)

const none = 0

func traps(op func() error, b backoff.BackOff, n int) {
	_ = avast.Do(op, avast.Attempts(0))                 // want `with retry.Attempts\(0\) the function is tried without end \(CTX310\)`
	_ = backoff.Retry(op, backoff.WithMaxRetries(b, 0)) // want `with backoff.WithMaxRetries\(0\) nothing is retried \(CTX310\)`
	_ = redis.Options{MaxRetries: none}                 // want `Options.MaxRetries: 0: that is the default of 3 retries; -1 turns them off \(CTX310\)`
	var o redis.Options
	o.MaxRetries = 0           // want `CTX310`
	_ = wait.Backoff{Steps: 0} // want `Backoff.Steps: 0: the function is never called \(CTX310\)`
}

// What is as it says.
func plain(op func() error, b backoff.BackOff, n int) {
	_ = avast.Do(op, avast.Attempts(1), avast.Delay(0))
	_ = avast.Do(op)
	_ = backoff.Retry(op, backoff.WithMaxRetries(b, 2))
	_ = redis.Options{MaxRetries: -1}
	_ = redis.Options{MaxRetries: n}
	_ = redis.Options{Addr: "a"} // the default is what everybody has
	_ = wait.Backoff{Factor: 2}
}
