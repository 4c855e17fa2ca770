// Package ignoredctx defines an Analyzer that finds work which no cancellation
// can end, although a context is at hand.
//
// # Analyzer ignoredctx
//
// ignoredctx: check that work which could end with its caller does
//
// A caller's deadline is worth nothing to code that does not look at it: a
// query without the context, a sleep, a receive from a channel that nobody
// fills any more, all run to their end for callers that have long gone. The
// ignoredctx analyzer reports such work where a context is within reach: a
// parameter, what a request or a stream provides, or that of a caller who
// reaches the function.
//
// It does not report work that is bounded by what surrounds it: waits for
// goroutines started here, for what has been told to end, and for mutexes,
// which Go cannot cancel.
package ignoredctx
