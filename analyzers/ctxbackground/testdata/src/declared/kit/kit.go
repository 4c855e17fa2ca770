// Package kit declares what its functions do where their signatures say
// something else or too little.
package kit

import "context"

type Job struct{ ID string }

// Serve is called by a scheduler of our own for every request.
//
//ctxprop:handler
func Serve(ctx context.Context, j Job) error {
	return Publish(context.Background(), j) // want `context\.Background\(\) in kit\.Serve cuts kit\.Publish off from the request's deadline; use ctx \(CTX101\)`
}

// Publish waits for a broker, which its results do not say.
//
//ctxprop:block class=queue
func Publish(ctx context.Context, j Job) (again error) { return nil }

// Notify returns no error and waits all the same.
//
//ctxprop:block class=net
func Notify(ctx context.Context, j Job) {}

// Note looks as if it waited.
//
//ctxprop:quiet
func Note(ctx context.Context, j Job) error { select {} }

// Detached keeps what the context says, and goes on after its end.
//
//ctxprop:detach
func Detached(ctx context.Context) context.Context { return background }

var background = context.Background()

// Processor is implemented by the user's code, which the scheduler calls.
type Processor interface {
	Process(ctx context.Context, j Job) error //ctxprop:handler
}

// Queue runs its jobs when their time has come.
//
//ctxprop:later
func Queue(run func() error) error { return run() }
