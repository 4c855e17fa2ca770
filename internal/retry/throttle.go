package retry

import "math"

// Throttle is grpc-go's retryThrottling: a bucket of tokens per connection.
// A failure that could be retried takes one, a success gives TokenRatio back,
// and nothing is retried while half the tokens or fewer are left.
//
// The bucket is full again after every update by the resolver (measured on
// grpc-go 1.85), so it bounds retries between two updates only.
type Throttle struct {
	MaxTokens, TokenRatio float64
}

// RetriesInOutage is the largest number of retries that a connection makes in
// all, if from now on every call fails. Last attempts use up tokens as well,
// so a policy that allows fewer in one call makes fewer in all.
func (t Throttle) RetriesInOutage() int {
	return max(0, int(math.Ceil(t.MaxTokens/2))-1)
}
