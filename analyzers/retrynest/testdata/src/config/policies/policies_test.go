package policies

import "google.golang.org/grpc"

// In tests, what keeps a config from having its effect is worth knowing; what
// harms a server is not.
func dialForTest() {
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(`{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 6, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["RESOURCE_EXHAUSTED", "UNAVAILABLE"]}}]}`))
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(`{"methodconfig": 1}`)) // want `methodConfig is 1`
	grpc.NewClient("x", grpc.WithDefaultServiceConfig(`{"methodConfig": [`))  // no JSON: that is what is tested
}
