package wait

import "time"

type Backoff struct {
	Duration time.Duration
	Factor   float64
	Steps    int
}
