// Package prove shows by measurement what the fixes of a program are worth.
//
// A finding says that a service can collapse. The saturation tests of the
// program, which package saturate of the runtime module runs, measure whether
// it does. This package runs them twice, on the code as it is and with the
// fixes in an overlay, so that nothing but the fixes differs, and reads the
// verdicts. The source tree is only read.
//
// The tests report through attributes of "go test -json", which the test cache
// replays; a file that they wrote would be missing from a cached run. The
// attributes' JSON is all that this package and saturate share: the root module
// imports nothing of the runtime module, so that a linter never moves the gRPC
// version of its user. Statistics and verdicts on a scenario are saturate's.
// Here is decided which fixes a scenario measures, and what to call a finding
// that none does.
package prove
