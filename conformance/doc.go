// Package conformance checks ctxprop's tables against the real modules that
// they describe. It is a module of its own, so that neither ctxprop nor its
// users depend on those modules, and it is no part of a workspace:
//
//	GOWORK=off go test ./...
//
// Types come from source without function bodies, so that nothing of these
// modules is compiled; modules.go keeps them in go.mod.
//
// The catalog lines that passed stand in symbols.tsv, with the module and the
// version they were checked against, for the offline tests of internal/catalog:
// a line that is not in the list was never checked. After a change to the
// tables or to go.mod:
//
//	GOWORK=off go test -update .
//
// What internal/retry says of gRPC service configs is held against real
// clients: each config of retrytest is given to one, a fuzz test compares
// parser with parser, and calls to servers that are down are counted.
package conformance
