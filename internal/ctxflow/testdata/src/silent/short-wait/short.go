// Package short has waits that are over before any deadline.
package short

import (
	"context"
	"time"
)

const gap = 50 * time.Millisecond

func Sleep(ctx context.Context) {
	time.Sleep(gap) // silent: short-wait
}

func Timer(ctx context.Context) {
	<-time.After(gap) // silent: short-wait
}

func Stored(ctx context.Context) {
	t := time.NewTimer(gap)
	<-t.C // silent: short-wait
}

// Longer is longer than a tenth of a second.
func Longer(ctx context.Context) {
	time.Sleep(4 * gap) // reported: CTX203
}

// Unknown may be.
func Unknown(ctx context.Context, d time.Duration) {
	time.Sleep(d) // reported: CTX203
}
