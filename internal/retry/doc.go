// Package retry computes with retries. It says how often a call is made in
// the worst case when layers of retries lie over one another, and what a gRPC
// service config does in grpc-go.
//
// It knows no Go code and no analysis: who retries what, and with which
// settings, its callers find out. Everything here is a pure function of that.
//
// # Attempts
//
// A [Layer] makes a number of [Attempts], the first try included, as long as
// what it calls fails with an error in its set. Two figures describe layers
// that lie over one another. The adversarial bound, [Adversarial], is the
// product: errors may alternate so that every layer uses up its attempts. The
// single-cause bound, [SingleCause], is what an overload looks like: the
// bottom fails with one and the same error each time, and a layer multiplies
// only if it tries again on what that error has become on its way up. How
// severe a nest is follows the second.
//
// An unknown count stays unknown. It is at least two, for else there would be
// no layer, and is printed as a question mark.
//
// # Service configs
//
// [ParseServiceConfig] accepts and refuses what grpc-go does, and lists what
// is refused, ignored, clamped or shadowed there, with places in the text and
// edits that mend it. grpc-go is read as version 1.85 behaves; the tests of
// the conformance module hold both against each other.
package retry
