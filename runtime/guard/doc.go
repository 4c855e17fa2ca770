// Package guard enforces deadlines at run time: interceptors for gRPC servers
// and clients that keep a service from working for callers that have gone, and
// from being asked for more than it can do in time.
//
//	server, err := guard.NewServer(guard.ServerOptions{
//		MinRemaining: 20 * time.Millisecond, // what a useful answer takes at least
//		MaxActive:    28,                    // of 32 workers
//	})
//	s := grpc.NewServer(server.Options()...)
//
//	client, err := guard.NewClient(guard.ClientOptions{
//		DefaultTimeout: time.Second,
//		Retry:          guard.Retry{MaxAttempts: 3},
//	})
//	cc, err := grpc.NewClient(target, client.Options()...)
//
// A [Server] refuses a call whose caller has gone, or will have before an
// answer is possible, and a call beyond the number that it may work on. It
// measures the work that goes on after the caller has left.
//
// A [Client] gives calls without a deadline one, and the callee of a call with
// one a share of the remaining time, so that something is left for a fallback.
// It retries only within that time and under a budget, and never what was shed;
// a [Switch] turns the retries of any number of clients off at run time.
//
// Both report through OpenTelemetry (see the constants) and, where they refuse
// something, through slog; [LogHandler] puts the deadline on the log lines of
// the service itself.
//
// What each part is worth is shown by the tests of this package: services that
// collapse without it and hold with it, measured by package saturate.
package guard
