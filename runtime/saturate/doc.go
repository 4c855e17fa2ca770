// Package saturate drives a gRPC service past saturation and shows whether it
// comes back.
//
// A test describes a [Scenario]: how to register the service, how a caller
// calls it, the caller's deadline and retries, and the dependency the service
// waits for. The package runs the real service on real gRPC, offers load in an
// open loop (a Poisson stream that does not slow down because answers do),
// disturbs it for two seconds and measures by the caller's clock: goodput,
// active workers, work done for callers that have gone, calls shed, attempts
// per call, the time to recover.
//
//	func TestGetSaturated(t *testing.T) {
//		saturate.Test(t, saturate.Scenario{
//			Register: func(s grpc.ServiceRegistrar, d *saturate.Deps) {
//				pb.RegisterOrdersServer(s, orders.New(d.DB()))
//			},
//			Call: func(ctx context.Context, cc grpc.ClientConnInterface) error {
//				_, err := pb.NewOrdersClient(cc).Get(ctx, &pb.GetRequest{})
//				return err
//			},
//			Deadline: 300 * time.Millisecond,
//			Retry:    saturate.Retry{MaxAttempts: 3},
//		})
//	}
//
// [Test] fails if the service does not recover, so alone it is a regression
// test. [Run] measures and does not judge. [Compare] runs a scenario before and
// after a change and gives a [Verdict].
//
// # Clock
//
// By default a trial lives in a bubble of testing/synctest, over an in-memory
// connection: ten seconds of load take well under a second, and an idle or a
// busy machine measures the same. One seed gives the same figures to the last
// bit at any GOMAXPROCS, as long as the order of waiting is the service's or
// the harness's own: database/sql hands a freed connection to a random waiter,
// and a retryPolicy of gRPC draws its waits from the process's random source.
// Register and Call run inside the bubble, so the servers, connections,
// channels and timers that they make belong to it; what they take from outside
// (a connection dialled in TestMain, a package's channel) freezes or panics.
// CPU costs no virtual time: let an interface that stands for long computation
// sleep.
//
// Code that cannot live in a bubble (sockets, files, cgo, a mutex that is held
// across a wait) runs on the real clock, over loopback TCP. [Auto] tries the
// bubble and switches if the clock freezes; the report says which goroutine,
// at which line, froze it.
//
// # Dependencies
//
// [Deps] puts what the service depends on behind the harness's slots:
// [Deps.Wrap] goes round an SQL driver (and [Deps.DB] is one that needs none),
// [Deps.Conn] answers gRPC methods, [Deps.Transport] is an http.RoundTripper,
// [Deps.Acquire] and [Deps.Do] serve fakes of your own. The slots, their queue
// and their service times are the same before and after a fix. [Deps.Next] is
// the connection to the next of [Scenario.Hops].
//
// # Can it collapse at all?
//
// A service whose workers and queue hold no more than its dependency serves
// within the deadline cannot be held down by callers that have gone. The
// residence, (Workers+Queue)/Capacity as a multiple of Deadline, must be at
// least 1.7: measured over 15 configurations with 12 seeds each, services stayed
// down in none of 108 trials up to 1.0 and in 43 of 48 from 1.33 on. Below,
// Test fails with that explanation rather than pass.
//
// # Attributes
//
// Every run leaves its figures as attributes of the test, which go test -json
// prints as events with the action "attr" and replays from its cache. Values
// are JSON on one line, below 4 KB, for test2json cuts what is longer.
//
//	ctxprop.scenario  once, first: [Description]
//	ctxprop.trial     once per seed: [Trial]
//	ctxprop.series    once per seed, after its trial: [Series]
//	ctxprop.verdict   once, if there is something to compare with: [Comparison]
//
// With CTXPROP_PROVE set, Test reports and does not fail because of a collapse;
// it fails if the scenario could not be run. CTXPROP_BEFORE may then hold the
// trials of an earlier run, a JSON object from the name of the test to the array
// of its ctxprop.trial values: Test compares with them and leaves the verdict.
// CTXPROP_CODES, an object from tests to arrays of codes, says which findings
// the fixes are for, so that Test refuses a scenario that cannot show them. They
// are variables rather than files, because the go command's test cache knows the
// environment and does not look at files outside the module.
// CTXPROP_CLOCK (virtual or real) overrides the scenario's clock.
package saturate
